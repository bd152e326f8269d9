output "team_ids" {
  description = "Each team's id on the server."
  value       = { for key, team in terdut_team.this : key => team.id }
}

output "webhook_urls" {
  description = "What each team's Alertmanager posts to. Each holds a key."
  value       = { for key, source in terdut_alert_source.this : key => source.webhook_url }
  sensitive   = true
}

output "token" {
  description = "An instance key for further configurations."
  value       = terdut_server.main.token
  sensitive   = true
}
