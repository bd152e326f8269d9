resource "terdut_user" "alice" {
  username   = "alice"
  email      = "alice@example.com"
  ntfy_topic = "alice-pager"
}
