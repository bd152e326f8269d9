import {
  to = terdut_service_account_key.ci

  identity = {
    service_account_id = "5"
    id                 = "9"
  }
}
