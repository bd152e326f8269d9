data "terdut_teams" "all" {
  name_prefix = "Plat"
}

output "teams" {
  value = { for team in data.terdut_teams.all.teams : team.name => team.id }
}
