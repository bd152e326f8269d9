list "terdut_user" "admins" {
  provider = terdut

  config {
    name_prefix = "a"
  }
}
