# By id.
terraform import terdut_service_account.ci 5

# By name.
terraform import terdut_service_account.ci name=platform-ci
