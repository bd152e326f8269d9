# A key for this run, of an account that exists: nothing is written down.
data "terdut_service_account" "ci" {
  name = "platform-ci"
}

ephemeral "terdut_service_account_key" "run" {
  service_account_id = data.terdut_service_account.ci.id
  name_suffix        = "apply"
}

provider "terdut" {
  alias = "platform"
  token = ephemeral.terdut_service_account_key.run.token
}

data "terdut_teams" "mine" {
  provider = terdut.platform
}
