resource "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_alert_source" "alertmanager" {
  team_id = terdut_team.platform.id
  name    = "prod-alertmanager"

  # A changed value makes a new source, and so a new key.
  rotate_when_changed = {
    generation = "1"
  }
}

output "webhook_url" {
  value     = terdut_alert_source.alertmanager.webhook_url
  sensitive = true
}
