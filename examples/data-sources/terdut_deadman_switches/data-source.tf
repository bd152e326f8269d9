data "terdut_team" "platform" {
  name = "Platform"
}

data "terdut_deadman_switches" "all" {
  team_id = data.terdut_team.platform.id
}

output "matchers" {
  value = { for item in data.terdut_deadman_switches.all.deadman_switches : item.name => item.matcher }
}
