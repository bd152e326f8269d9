terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

import {
  to = terdut_team.platform
  id = "name=Platform"
}

resource "terdut_team" "platform" {
  name = "Platform"
}

import {
  to = terdut_escalation_rule.platform
  id = "name=Platform"
}

resource "terdut_escalation_rule" "platform" {
  team_id      = terdut_team.platform.id
  repeat_count = 1

  levels = [
    { timeout = "5m", targets = [{ kind = "oncall" }] },
  ]
}

import {
  to = terdut_deadman_switch.prod
  id = "name=Platform/name=prod-watchdog"
}

resource "terdut_deadman_switch" "prod" {
  team_id = terdut_team.platform.id
  name    = "prod-watchdog"
  matcher = "alertname=Watchdog"
  timeout = "15m"
}

import {
  to = terdut_alert_source.prod
  id = "name=Platform/name=prod-alertmanager"
}

# Its key and URL stay null: the server shows them only once.
resource "terdut_alert_source" "prod" {
  team_id = terdut_team.platform.id
  name    = "prod-alertmanager"
}
