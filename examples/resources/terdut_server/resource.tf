variable "server_url" {
  type        = string
  description = "Where the server answers."
}

variable "admin_password" {
  type        = string
  sensitive   = true
  description = "What the first person logs in with."
}

# terdut_server never uses the provider's own url and token.
provider "terdut" {
  alias = "setup"
}

resource "terdut_server" "main" {
  provider = terdut.setup
  url      = var.server_url

  bootstrap = {
    username = "admin"
    email    = "admin@example.com"
    # Stored in the state. From Terraform and OpenTofu 1.11 on: password_wo with an ephemeral variable.
    password = var.admin_password
  }
}

output "token" {
  value     = terdut_server.main.token
  sensitive = true
}
