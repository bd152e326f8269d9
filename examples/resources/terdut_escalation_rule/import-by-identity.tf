import {
  to = terdut_escalation_rule.platform

  identity = {
    team_id = "42"
  }
}
