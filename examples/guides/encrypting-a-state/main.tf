resource "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_alert_source" "prod" {
  team_id = terdut_team.platform.id
  name    = "prod-alertmanager"
}
