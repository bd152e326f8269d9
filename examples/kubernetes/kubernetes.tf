# The cluster is that of KUBE_CONFIG_PATH. It needs the Gateway API's HTTPRoute, and a Postgres that
# is there already.
provider "kubernetes" {}

resource "kubernetes_namespace_v1" "oncall" {
  metadata {
    name = var.namespace
  }
}

resource "kubernetes_secret_v1" "database" {
  metadata {
    name      = "terdut-database"
    namespace = kubernetes_namespace_v1.oncall.metadata[0].name
  }

  data = {
    password = var.database_password
  }
}

resource "kubernetes_manifest" "server" {
  for_each   = data.terdut_server_manifests.main.objects
  manifest   = jsondecode(each.value)
  depends_on = [kubernetes_namespace_v1.oncall, kubernetes_secret_v1.database]

  # The bootstrap needs a server that answers.
  dynamic "wait" {
    for_each = each.key == "deployment" ? ["rollout"] : []

    content {
      rollout = true
    }
  }
}
