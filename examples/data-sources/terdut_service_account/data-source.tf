data "terdut_service_account" "ci" {
  name = "platform-ci"
}

output "scope" {
  value = data.terdut_service_account.ci.scope
}
