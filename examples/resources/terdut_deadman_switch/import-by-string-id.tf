import {
  to = terdut_deadman_switch.watchdog
  id = "42/7" # or by name: "name=Platform/name=prod-watchdog"
}
