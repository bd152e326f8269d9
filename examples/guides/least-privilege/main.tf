terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

# The instance key of TERDUT_TOKEN: only for teams, and for the accounts that belong to them.
provider "terdut" {}

resource "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_service_account" "platform" {
  name    = "platform-terraform"
  scope   = "team"
  team_id = terdut_team.platform.id
}

resource "terdut_service_account_key" "platform" {
  service_account_id = terdut_service_account.platform.id
}

# The team's key: for what belongs to this team, and for nothing else. The URL is TERDUT_URL.
provider "terdut" {
  alias = "platform"
  token = terdut_service_account_key.platform.token
}

resource "terdut_escalation_rule" "platform" {
  provider = terdut.platform
  team_id  = terdut_team.platform.id

  levels = [
    { timeout = "5m", targets = [{ kind = "oncall" }] },
  ]
}

resource "terdut_alert_source" "prod" {
  provider = terdut.platform
  team_id  = terdut_team.platform.id
  name     = "prod-alertmanager"
}

# For a state of the team's own.
output "platform_team_id" {
  value = terdut_team.platform.id
}

output "platform_key" {
  value     = terdut_service_account_key.platform.token
  sensitive = true
}
