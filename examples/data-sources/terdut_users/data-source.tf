data "terdut_users" "all" {}

output "usernames" {
  value = [for user in data.terdut_users.all.users : user.username]
}
