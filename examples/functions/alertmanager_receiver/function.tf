resource "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_alert_source" "alertmanager" {
  team_id = terdut_team.platform.id
  name    = "prod-alertmanager"
}

locals {
  receiver = provider::terdut::alertmanager_receiver("on-call", terdut_alert_source.alertmanager.webhook_url)
}

output "alertmanager_yml" {
  sensitive = true
  value = yamlencode({
    route     = { receiver = "on-call" }
    receivers = [local.receiver.receiver]
  })
}
