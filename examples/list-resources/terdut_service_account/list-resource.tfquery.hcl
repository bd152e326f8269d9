list "terdut_service_account" "of_teams" {
  provider = terdut

  config {
    scope = "team"
  }
}
