resource "terdut_team" "platform" {
  name = "Platform"
}

# Whoever is on call is paged, and twice more while nobody answers within five minutes.
resource "terdut_escalation_rule" "platform" {
  team_id      = terdut_team.platform.id
  repeat_count = 2

  levels = [
    { timeout = "5m", targets = [{ kind = "oncall" }] },
  ]
}

# Where the team's alerts come in.
resource "terdut_alert_source" "prod" {
  team_id = terdut_team.platform.id
  name    = "prod-alertmanager"
}

# An alert is raised when the heartbeat stays away: when Prometheus itself is down.
resource "terdut_deadman_switch" "prod" {
  team_id = terdut_team.platform.id
  name    = "prod-watchdog"
  matcher = "alertname=Watchdog,cluster=prod"
  timeout = "15m"
}
