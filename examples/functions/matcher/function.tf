resource "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_deadman_switch" "watchdog" {
  for_each = toset(["prod", "staging"])
  team_id  = terdut_team.platform.id
  name     = "${each.key}-watchdog"
  matcher  = provider::terdut::matcher({ alertname = "Watchdog", cluster = each.key })
  timeout  = "15m"
}
