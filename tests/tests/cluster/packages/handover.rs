//! A server that its own chart installed, handed over by the commands of `docs/bridge/handover.md`.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use terdut_tests::cluster::{Cluster, Site, conditions, kind};

use super::guide::{Guide, Shell};

const RELEASE: &str = "terdut";
const SOON: Duration = Duration::from_mins(1);

const VALUES: &str = "
image: {repository: git.ryuvia.com/niklas/terdut-server, tag: v0.9.3}
networking: {servicePort: 8080}
database:
  dsn: postgres://terdut@terdut-postgres:5432/terdut?sslmode=require
  passwordSecret: {name: postgres, key: password}
";

/// What stands for the chart of terdut-server: its selector is not the bridge's.
const TEMPLATE: &str = r#"
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .Release.Name }}
  labels: {app.kubernetes.io/instance: {{ .Release.Name }}}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
  labels: {app.kubernetes.io/instance: {{ .Release.Name }}}
spec:
  selector: {app: {{ .Release.Name }}}
  ports: [{name: http, port: {{ .Values.networking.servicePort }}, targetPort: http}]
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels: {app.kubernetes.io/instance: {{ .Release.Name }}}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      serviceAccountName: {{ .Release.Name }}
      containers:
        - name: server
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          ports: [{name: http, containerPort: 8080}]
"#;

fn write_chart(folder: &Path) {
    let files = [
        ("Chart.yaml", "{apiVersion: v2, name: terdut-server, version: 0.9.3}"),
        ("values.yaml", VALUES),
        ("templates/all.yaml", TEMPLATE),
    ];
    std::fs::create_dir_all(folder.join("templates")).expect("a folder can be made");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("a file can be written");
    }
}

#[tokio::test]
async fn the_guide_hands_a_server_over_that_keeps_its_service_and_its_users() {
    let Some(cluster) = Cluster::shared() else { return };
    let site = Site::new(cluster, 1).await;
    let namespace = site.tenant(0);
    let simulator = site.serve(namespace, RELEASE);
    simulator.seed_admin();
    let (_, key) = simulator.state().add_account("bridge", None);
    let Some(shell) = Shell::new(&cluster.kubectl()) else { return };
    let shell = shell.with("TERDUT_INSTANCE_KEY", &key.text);
    let bridge = site.start().await;
    let client = site.client().within(SOON);
    let guide = Guide::read("handover.md");
    let step = |heading: &str| {
        let text = guide.commands(heading).replace("platform-oncall", namespace);
        text.replace("--namespace terdut-bridge", &format!("--namespace {}", site.own))
    };

    write_chart(&shell.folder().join("chart"));
    shell.run(&step("# ")).await;
    shell.run("kubectl create secret generic postgres --from-literal password=unknown").await;
    shell.run(&format!("helm install {RELEASE} ./chart")).await;
    let service = client.get(kind::SERVICE, namespace, RELEASE).await;
    let account = client.get(kind::SERVICE_ACCOUNT, namespace, RELEASE).await;
    let old = client.get(kind::DEPLOYMENT, namespace, RELEASE).await;

    for heading in ["1. ", "2. ", "3. ", "4. ", "5. "] {
        shell.run(&step(heading)).await;
    }
    let releases = shell.run("helm list --all --short").await;
    assert_eq!(releases.trim(), "", "helm has forgotten it");
    let said = client.wait_reason(kind::SERVER, namespace, RELEASE, "Ready", "ForeignObject").await;
    let message = conditions::find(&said, "Ready").and_then(|ready| ready["message"].as_str());
    let (_, command) = message.and_then(|text| text.rsplit_once("run: ")).expect("a command");
    let untouched = client.get(kind::SERVICE, namespace, RELEASE).await;
    assert_eq!(untouched["metadata"]["resourceVersion"], service["metadata"]["resourceVersion"]);
    // The page has the command as the condition prints it.
    let written = step("6. ");
    assert_eq!(written.lines().last().map(str::trim), Some(command));
    assert!(shell.run(&written).await.contains(command));
    shell.run(&step("7. ")).await;

    let server = client.wait_ready(kind::SERVER, namespace, RELEASE).await;
    let owner = json!(server["metadata"]["uid"]);
    assert_eq!(server["metadata"]["annotations"]["terdut.ryuvia.com/take-over"], json!(null));
    for (kind, before) in [(kind::SERVICE, &service), (kind::SERVICE_ACCOUNT, &account)] {
        let now = client.get(kind, namespace, RELEASE).await;
        assert_eq!(now["metadata"]["uid"], before["metadata"]["uid"], "{} is kept", kind.kind);
        assert_eq!(now["metadata"]["ownerReferences"][0]["uid"], owner);
    }
    let new = client.get(kind::DEPLOYMENT, namespace, RELEASE).await;
    assert_ne!(new["metadata"]["uid"], old["metadata"]["uid"]);
    let selector = client.get(kind::SERVICE, namespace, RELEASE).await["spec"]["selector"].clone();
    assert_eq!(selector, new["spec"]["selector"]["matchLabels"], "it leads to the new pods alone");
    assert_eq!(simulator.count("POST", "/api/bootstrap"), 0);
    bridge.check_logs();
}
