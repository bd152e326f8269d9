data "terdut_server_manifests" "main" {
  provider = terdut.setup

  image = {
    tag = "v0.9.3"
  }

  database = {
    dsn                 = "postgres://terdut@database:5432/terdut?sslmode=disable"
    password_secret_ref = { name = "database", key = "password" }
  }
}

locals {
  # Without Kubernetes, a Secret's name and key are only names: here is what they stand for.
  secrets = {
    database = { password = var.database_password }
  }

  environment = merge(
    data.terdut_server_manifests.main.environment,
    {
      for variable, secret in data.terdut_server_manifests.main.secret_environment :
      variable => local.secrets[secret.name][secret.key]
    },
  )
}
