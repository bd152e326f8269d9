terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

provider "terdut" {
  max_concurrency     = 5  # under way at once
  requests_per_second = 50 # in all
}

locals {
  teams    = ["Payments", "Platform", "Search"]
  clusters = ["eu-1", "eu-2", "us-1", "us-2"]

  switches = {
    for pair in setproduct(local.teams, local.clusters) :
    "${pair[0]}/${pair[1]}" => { team = pair[0], cluster = pair[1] }
  }
}

resource "terdut_team" "this" {
  for_each = toset(local.teams)
  name     = each.key
}

resource "terdut_deadman_switch" "this" {
  for_each = local.switches
  team_id  = terdut_team.this[each.value.team].id
  name     = "${each.value.cluster}-watchdog"
  matcher  = "alertname=Watchdog,cluster=${each.value.cluster}"
  timeout  = "15m"
}
