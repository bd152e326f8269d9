# A key for this run, of an account that exists: nothing is written down.
data "terdut_service_account" "ci" {
  name = "platform-ci"
}

ephemeral "terdut_service_account_key" "run" {
  service_account_id = data.terdut_service_account.ci.id
  name_suffix        = "apply"
}

# With it the account's team, and nothing else, is changed.
provider "terdut" {
  alias = "platform"
  token = ephemeral.terdut_service_account_key.run.token
}

resource "terdut_deadman_switch" "batch" {
  provider = terdut.platform
  team_id  = data.terdut_service_account.ci.team_id
  name     = "nightly-batch"
  matcher  = "alertname=BatchHeartbeat"
  timeout  = "26h"
}
