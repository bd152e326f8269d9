data "terdut_on_call" "today" {}

output "on_call" {
  value = coalesce(data.terdut_on_call.today.username, "nobody")
}
