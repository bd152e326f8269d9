resource "terdut_team" "platform" {
  name = "Platform"
}

resource "terdut_user" "alice" {
  username = "alice"
  email    = "alice@example.com"
}

resource "terdut_escalation_rule" "platform" {
  team_id        = terdut_team.platform.id
  repeat_count   = 2
  fallback_topic = "platform-oncall"

  levels = [
    {
      timeout = "5m"
      targets = [
        { kind = "oncall" },
        { kind = "user", username = terdut_user.alice.username },
      ]
    },
    {
      timeout = "15m"
      targets = [{ kind = "oncall" }]
    },
  ]
}
