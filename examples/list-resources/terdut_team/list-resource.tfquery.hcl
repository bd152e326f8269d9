# All teams, as they would stand in a state: `terraform query -generate-config-out=teams.tf`.
list "terdut_team" "all" {
  provider         = terdut
  include_resource = true
}
