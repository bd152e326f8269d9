data "terdut_user" "alice" {
  name = "alice"
}

output "email" {
  value = data.terdut_user.alice.email
}
