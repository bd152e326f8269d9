locals {
  receiver = provider::terdut::alertmanager_receiver("on-call", terdut_alert_source.prod.webhook_url)
}

output "alertmanager_yml" {
  description = "What Alertmanager is configured with. It holds a key."
  sensitive   = true
  value = yamlencode({
    route     = { receiver = "on-call" }
    receivers = [local.receiver.receiver]
  })
}

output "webhook_url" {
  description = "What Alertmanager posts to. It holds a key."
  value       = terdut_alert_source.prod.webhook_url
  sensitive   = true
}

output "token" {
  description = "An instance key, for a look at the server with curl."
  value       = terdut_server.main.token
  sensitive   = true
}
