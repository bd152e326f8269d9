import {
  to = terdut_team.platform

  identity = {
    id = "42"
  }
}
