# People whose user name begins with "a".
list "terdut_user" "a" {
  provider = terdut

  config {
    name_prefix = "a"
  }
}
