import {
  to = terdut_service_account.ci
  id = "5" # or by name: "name=platform-ci"
}
