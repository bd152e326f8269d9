import {
  to = terdut_user.alice
  id = "7" # or by name: "name=alice"
}
