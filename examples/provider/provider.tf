terraform {
  required_providers {
    terdut = {
      source = "ryuvia/terdut"
    }
  }
}

# Without arguments the address and the key come from TERDUT_URL and TERDUT_TOKEN.
provider "terdut" {}

resource "terdut_team" "platform" {
  name = "Platform"
}
