# By name; `id` works as well.
data "terdut_team" "platform" {
  name = "Platform"
}

output "team_id" {
  value = data.terdut_team.platform.id
}
