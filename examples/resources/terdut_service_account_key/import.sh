# The token of an imported key stays unknown: the server shows it only once.

# By the ids of its account and its own.
terraform import terdut_service_account_key.ci 5/9

# By names.
terraform import terdut_service_account_key.ci name=platform-ci/name=ci
