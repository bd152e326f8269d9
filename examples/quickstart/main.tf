# Two shapes of the one provider. The first has no settings: it is only for terdut_server, which
# makes the key that the second is fed with.
provider "terdut" {
  alias = "setup"
}

resource "terdut_server" "main" {
  provider = terdut.setup
  url      = var.server_url

  bootstrap = {
    username = "admin"
    email    = "admin@example.com"
    password = var.admin_password
  }
}

provider "terdut" {
  url   = terdut_server.main.url
  token = terdut_server.main.token
}

locals {
  teams = {
    platform = { name = "Platform", watched = ["prod", "staging"] }
    payments = { name = "Payments", watched = ["prod"] }
  }

  switches = merge([
    for key, team in local.teams : {
      for cluster in team.watched : "${key}-${cluster}" => { team = key, cluster = cluster }
    }
  ]...)
}

resource "terdut_team" "this" {
  for_each = local.teams
  name     = each.value.name

  oidc = {
    member_group = "oncall-${each.key}"
    owner_group  = "oncall-${each.key}-owners"
  }
}

resource "terdut_escalation_rule" "this" {
  for_each       = terdut_team.this
  team_id        = each.value.id
  repeat_count   = 2
  fallback_topic = "${each.key}-oncall"

  levels = [
    { timeout = "5m", targets = [{ kind = "oncall" }] },
    { timeout = "15m", targets = [{ kind = "oncall" }] },
  ]
}

resource "terdut_deadman_switch" "this" {
  for_each = local.switches
  team_id  = terdut_team.this[each.value.team].id
  name     = "${each.value.cluster}-watchdog"
  matcher  = "alertname=Watchdog,cluster=${each.value.cluster}"
  timeout  = "15m"
}

resource "terdut_alert_source" "this" {
  for_each = terdut_team.this
  team_id  = each.value.id
  name     = "${each.key}-alertmanager"
}
