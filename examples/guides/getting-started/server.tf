variable "server_url" {
  type        = string
  description = "Where the server answers, as https://terdut.example.com."
}

variable "admin_password" {
  type        = string
  sensitive   = true
  ephemeral   = true
  description = "What the first person logs in with."
}

# Only for terdut_server, which needs neither url nor token of a provider.
provider "terdut" {
  alias = "setup"
}

resource "terdut_server" "main" {
  provider = terdut.setup
  url      = var.server_url

  bootstrap = {
    username    = "admin"
    email       = "admin@example.com"
    password_wo = var.admin_password
  }
}

# For everything else: the key that was just made.
provider "terdut" {
  url   = terdut_server.main.url
  token = terdut_server.main.token
}
