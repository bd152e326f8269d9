terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

# An account that is there already, and that an instance key may look up.
data "terdut_service_account" "ci" {
  name = "platform-ci"
}

# A key for this run: made when it begins, revoked when it ends, in no plan and no state.
ephemeral "terdut_service_account_key" "run" {
  service_account_id = data.terdut_service_account.ci.id
}

provider "terdut" {
  alias = "platform"
  token = ephemeral.terdut_service_account_key.run.token
}

resource "terdut_deadman_switch" "staging" {
  provider = terdut.platform
  team_id  = data.terdut_service_account.ci.team_id
  name     = "staging-watchdog"
  matcher  = "alertname=Watchdog,cluster=staging"
  timeout  = "15m"
}
