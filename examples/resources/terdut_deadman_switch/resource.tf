resource "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_deadman_switch" "watchdog" {
  team_id  = terdut_team.platform.id
  name     = "prod-watchdog"
  matcher  = "alertname=Watchdog,cluster=prod"
  timeout  = "15m"
  severity = "critical"
}
