terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

# A state of its own for one team, run with that team's key. The team is another state's, and a
# team's key may not list teams: so its id is handed in, as TF_VAR_team_id.
variable "team_id" {
  type        = string
  description = "The team's id, an output of the state that makes the team."
}

resource "terdut_deadman_switch" "staging" {
  team_id = var.team_id
  name    = "staging-watchdog"
  matcher = "alertname=Watchdog,cluster=staging"
  timeout = "15m"
}
