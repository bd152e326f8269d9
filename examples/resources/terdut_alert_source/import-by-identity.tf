import {
  to = terdut_alert_source.alertmanager

  identity = {
    team_id = "42"
    id      = "7"
  }
}
