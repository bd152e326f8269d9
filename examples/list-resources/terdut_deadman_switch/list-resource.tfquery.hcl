# What nobody may sleep through, of all teams.
list "terdut_deadman_switch" "critical" {
  provider = terdut
  limit    = 500

  config {
    severity = "critical"
  }
}
