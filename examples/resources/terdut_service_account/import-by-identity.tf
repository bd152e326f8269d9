import {
  to = terdut_service_account.ci

  identity = {
    id = "5"
  }
}
