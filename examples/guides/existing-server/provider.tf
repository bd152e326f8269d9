# url and token come from TERDUT_URL and TERDUT_TOKEN.
provider "terdut" {}
