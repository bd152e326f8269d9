data "terdut_server_manifests" "main" {
  name      = "terdut"
  namespace = "oncall"
  replicas  = 2

  image = {
    tag = "v0.9.3"
  }

  networking = {
    hostname         = "terdut.example.com"
    gateway_listener = "infra/public/https"
  }

  database = {
    dsn                 = "postgres://terdut@postgres:5432/terdut?sslmode=require"
    password_secret_ref = { name = "terdut-database" }
  }

  notify = {
    ntfy_url         = "https://ntfy.example.com"
    token_secret_ref = { name = "terdut-ntfy" }
  }
}

# What `kubectl apply --server-side -f -` takes.
output "yaml" {
  value = data.terdut_server_manifests.main.yaml
}

# One JSON text for each object, for a resource with for_each.
output "objects" {
  value = keys(data.terdut_server_manifests.main.objects)
}
