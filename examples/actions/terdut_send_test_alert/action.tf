resource "terdut_team" "platform" {
  name = "Platform"
}

# Each new source is tried as soon as it is there.
resource "terdut_alert_source" "prod" {
  team_id = terdut_team.platform.id
  name    = "prod-alertmanager"

  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.terdut_send_test_alert.prod]
    }
  }
}

# By hand: terraform apply -invoke=action.terdut_send_test_alert.prod
action "terdut_send_test_alert" "prod" {
  config {
    webhook_url = terdut_alert_source.prod.webhook_url
    labels      = { severity = "critical", cluster = "prod" }
    summary     = "Does an alert reach whoever is on call?"
    resolve     = true
  }
}
