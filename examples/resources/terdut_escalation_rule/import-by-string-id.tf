import {
  to = terdut_escalation_rule.platform
  id = "42" # or by name: "name=Platform"
}
