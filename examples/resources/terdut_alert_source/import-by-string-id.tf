import {
  to = terdut_alert_source.alertmanager
  id = "42/7" # or by name: "name=Platform/name=prod-alertmanager"
}
