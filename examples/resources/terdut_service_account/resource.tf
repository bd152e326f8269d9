resource "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_service_account" "ci" {
  name    = "platform-ci"
  scope   = "team"
  team_id = terdut_team.platform.id
}
