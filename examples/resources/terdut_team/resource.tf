resource "terdut_team" "platform" {
  name = "Platform"

  oidc = {
    member_group = "oncall-platform-members"
    owner_group  = "oncall-platform-owners"
  }
}
