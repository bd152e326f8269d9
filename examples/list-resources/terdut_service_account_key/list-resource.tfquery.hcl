# Keys that a team's automation holds; terdut shows a key itself only once.
list "terdut_service_account_key" "of_teams" {
  provider = terdut

  config {
    scope = "team"
  }
}
