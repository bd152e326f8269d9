# For what needs no key: it renders, and makes the key that the other one is fed with.
provider "terdut" {
  alias = "setup"
}

resource "terdut_server" "main" {
  provider   = terdut.setup
  url        = "https://${var.hostname}"
  depends_on = [kubernetes_manifest.server]

  bootstrap = {
    username = "admin"
    email    = "admin@example.com"
    password = var.admin_password
  }
}

provider "terdut" {
  url   = terdut_server.main.url
  token = terdut_server.main.token
}

resource "terdut_team" "platform" {
  name = "Platform"
}
