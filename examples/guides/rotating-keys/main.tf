terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

variable "quarter" {
  type        = string
  default     = "2026-Q4"
  description = "Another value, and every key below is made anew."
}

resource "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_service_account" "ci" {
  name    = "platform-deploy"
  scope   = "team"
  team_id = terdut_team.platform.id
}

resource "terdut_service_account_key" "ci" {
  service_account_id  = terdut_service_account.ci.id
  name                = "deploy-${var.quarter}"
  rotate_when_changed = { quarter = var.quarter }

  # The new key is there, and handed on, before the old one is revoked.
  lifecycle {
    create_before_destroy = true
  }
}

# The quarter is in the name, since a second source of one name is refused.
resource "terdut_alert_source" "prod" {
  team_id             = terdut_team.platform.id
  name                = "prod-alertmanager-${var.quarter}"
  rotate_when_changed = { quarter = var.quarter }

  # Whatever uses webhook_url in this configuration is given the new URL before the old one goes.
  lifecycle {
    create_before_destroy = true
  }
}
