terraform {
  required_providers {
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = ">= 2.20"
    }
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}
