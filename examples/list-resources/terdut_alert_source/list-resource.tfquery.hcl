list "terdut_alert_source" "prod" {
  provider         = terdut
  include_resource = true

  config {
    kind          = "alertmanager"
    name_contains = "prod"
  }
}
