data "terdut_team" "platform" {
  name = "Platform"
}

data "terdut_escalation_rule" "platform" {
  team_id = data.terdut_team.platform.id
}

output "levels" {
  value = length(data.terdut_escalation_rule.platform.levels)
}
