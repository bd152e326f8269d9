# The rule of a team, by the team's name.
list "terdut_escalation_rule" "platform" {
  provider         = terdut
  include_resource = true

  config {
    name = "Platform"
  }
}
