provider "docker" {}

resource "docker_network" "terdut" {
  name = "terdut"
}

resource "docker_container" "database" {
  name  = "terdut-database"
  image = "postgres:17"
  env = [
    "POSTGRES_USER=terdut",
    "POSTGRES_DB=terdut",
    "POSTGRES_PASSWORD=${var.database_password}",
  ]

  networks_advanced {
    name    = docker_network.terdut.name
    aliases = ["database"]
  }
}

resource "docker_container" "server" {
  name       = "terdut"
  image      = "git.ryuvia.com/niklas/terdut-server:v0.9.3"
  env        = [for variable, value in local.environment : "${variable}=${value}"]
  restart    = "unless-stopped"
  read_only  = true
  tmpfs      = { "/tmp" = "" }
  depends_on = [docker_container.database]

  networks_advanced {
    name = docker_network.terdut.name
  }

  ports {
    internal = 8080
    external = var.port
    ip       = "127.0.0.1"
  }
}
