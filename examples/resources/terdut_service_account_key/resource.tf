resource "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_service_account" "ci" {
  name    = "platform-ci"
  scope   = "team"
  team_id = terdut_team.platform.id
}

resource "terdut_service_account_key" "ci" {
  service_account_id = terdut_service_account.ci.id
  name               = "ci"

  rotate_when_changed = {
    quarter = "2026-Q4"
  }

  # The new key is there before the old one is revoked.
  lifecycle {
    create_before_destroy = true
  }
}

output "ci_key" {
  value     = terdut_service_account_key.ci.token
  sensitive = true
}
