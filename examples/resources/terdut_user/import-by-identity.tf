import {
  to = terdut_user.alice

  identity = {
    id = "7"
  }
}
