terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}
