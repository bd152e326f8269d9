data "terdut_team" "platform" {
  name = "Platform"
}

data "terdut_alert_sources" "all" {
  team_id = data.terdut_team.platform.id
}

output "sources" {
  value = [for source in data.terdut_alert_sources.all.alert_sources : source.name]
}
