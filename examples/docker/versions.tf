terraform {
  required_providers {
    docker = {
      source  = "kreuzwerker/docker"
      version = ">= 3.0"
    }
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}
