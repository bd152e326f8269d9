terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

resource "terdut_team" "platform" {
  name = "Platform"

  oidc = {
    member_group = "terdut-platform-members"
    owner_group  = "terdut-platform-owners"
  }
}

resource "terdut_escalation_rule" "platform" {
  team_id        = terdut_team.platform.id
  repeat_count   = 2
  fallback_topic = "platform-oncall"

  levels = [
    { timeout = "5m", targets = [{ kind = "oncall" }] },
    { timeout = "15m", targets = [{ kind = "oncall" }] },
  ]
}

resource "terdut_deadman_switch" "prod" {
  team_id  = terdut_team.platform.id
  name     = "prod-watchdog"
  matcher  = "alertname=Watchdog,cluster=prod"
  timeout  = "15m"
  severity = "critical"
}

resource "terdut_alert_source" "prod" {
  team_id = terdut_team.platform.id
  name    = "prod-alertmanager"
}
