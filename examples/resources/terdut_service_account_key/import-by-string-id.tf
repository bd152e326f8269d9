import {
  to = terdut_service_account_key.ci
  id = "5/9" # or by name: "name=platform-ci/name=ci"
}
