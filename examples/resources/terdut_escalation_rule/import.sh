# By the id of its team: a team has one rule.
terraform import terdut_escalation_rule.platform 42

# By the name of its team.
terraform import terdut_escalation_rule.platform name=Platform
