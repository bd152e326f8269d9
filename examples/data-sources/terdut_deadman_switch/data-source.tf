data "terdut_team" "platform" {
  name = "Platform"
}

data "terdut_deadman_switch" "prod" {
  team_id = data.terdut_team.platform.id
  name    = "prod-watchdog"
}

output "id" {
  value = data.terdut_deadman_switch.prod.id
}
