import {
  to = terdut_deadman_switch.watchdog

  identity = {
    team_id = "42"
    id      = "7"
  }
}
