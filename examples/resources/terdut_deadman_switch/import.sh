# By the ids of its team and its own.
terraform import terdut_deadman_switch.watchdog 42/7

# By names.
terraform import terdut_deadman_switch.watchdog name=Platform/name=prod-watchdog
