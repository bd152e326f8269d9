terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

# Each takes over what has its name, or makes it where there is none.
resource "terdut_team" "platform" {
  name           = "Platform"
  adopt_existing = true
}

resource "terdut_deadman_switch" "prod" {
  team_id        = terdut_team.platform.id
  name           = "prod-watchdog"
  matcher        = "alertname=Watchdog"
  timeout        = "15m"
  adopt_existing = true
}
