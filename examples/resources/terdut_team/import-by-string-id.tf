import {
  to = terdut_team.platform
  id = "42" # or by name: "name=Platform"
}
