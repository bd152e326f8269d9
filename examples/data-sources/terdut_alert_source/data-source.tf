data "terdut_team" "platform" {
  name = "Platform"
}

data "terdut_alert_source" "prod" {
  team_id = data.terdut_team.platform.id
  name    = "prod-alertmanager"
}

output "id" {
  value = data.terdut_alert_source.prod.id
}
