# What the server is run by. Nothing here asks a server or a cluster, so that a plan shows it whole.
data "terdut_server_manifests" "main" {
  provider  = terdut.setup
  name      = "terdut"
  namespace = var.namespace
  replicas  = 2

  image = {
    tag = "v0.9.3"
  }

  networking = {
    hostname         = var.hostname
    gateway_listener = var.gateway_listener
  }

  database = {
    dsn                 = "postgres://terdut@${var.database_host}:5432/terdut?sslmode=require"
    password_secret_ref = { name = "terdut-database" }
  }
}
