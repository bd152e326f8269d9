resource "terdut_team" "platform" {
  name = "Platform"
}
