data "terdut_service_accounts" "all" {
  name_prefix = "platform-"
}

output "accounts" {
  value = [for account in data.terdut_service_accounts.all.service_accounts : account.name]
}
