# For what needs no key: it renders, and makes the key that the other one is fed with.
provider "terdut" {
  alias = "setup"
}

# Docker's proxy answers before the server does, and a bootstrap must not get lost in between.
resource "terraform_data" "ready" {
  triggers_replace = docker_container.server.id

  provisioner "local-exec" {
    command = "curl --silent --fail --output /dev/null --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:${var.port}/healthz"
  }
}

resource "terdut_server" "main" {
  provider   = terdut.setup
  url        = "http://127.0.0.1:${var.port}"
  depends_on = [terraform_data.ready]

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
