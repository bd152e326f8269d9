terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

# In place of the resources: Terraform forgets them, and deletes nothing on the server.
removed {
  from = terdut_team.platform
  lifecycle {
    destroy = false
  }
}

removed {
  from = terdut_escalation_rule.platform
  lifecycle {
    destroy = false
  }
}

removed {
  from = terdut_deadman_switch.prod
  lifecycle {
    destroy = false
  }
}

# The alert source is not handed over: the bridge makes one of its own, with a new key. It gets
# another name here, and stays until Alertmanager has the new URL.
data "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_alert_source" "prod" {
  team_id = data.terdut_team.platform.id
  name    = "prod-alertmanager-old"
}
