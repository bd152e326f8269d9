//! Functions, called by configurations.

use serde_json::{Value as Json, json};
use terdut_tests::harness::{Binary, Program, Workspace};

use crate::scene::HEAD;

const CALLS: &str = r#"
output "duration" {
  value = provider::terdut::duration("90m")
}
output "matcher" {
  value = provider::terdut::matcher({ cluster = "prod", alertname = "Watchdog" })
}
output "receiver" {
  value = provider::terdut::alertmanager_receiver("on-call", "https://h/api/integrations/k/alertmanager")
}
locals {
  odd = "a\u0085b\u2028c\u007fd: \"e\" # f"
}
output "read_back" {
  value = yamldecode(provider::terdut::alertmanager_receiver(local.odd, "https://h/k").yaml)[0].name == local.odd
}
"#;

const WRONG: &str = r#"
output "matcher" {
  value = provider::terdut::matcher({ cluster = "a,b" })
}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn functions_calculate_and_name_the_argument_that_is_wrong() {
    for program in Program::current() {
        let workspace = Workspace::new(&program, &Binary::provider(), "terdut");
        workspace.write("main.tf", &format!("{HEAD}{CALLS}"));
        workspace.init().await;
        workspace.apply().await;
        let shown = workspace.run(&["output", "-json"]).await.expect_ok();
        let outputs: Json = serde_json::from_str(&shown.stdout).expect("outputs as JSON");
        assert_eq!(
            outputs["duration"]["value"],
            json!({ "canonical": "1h30m0s", "seconds": 5400 })
        );
        assert_eq!(outputs["matcher"]["value"], "alertname=Watchdog,cluster=prod");
        let receiver = &outputs["receiver"]["value"];
        assert_eq!(receiver["receiver"]["webhook_configs"][0]["send_resolved"], true);
        let yaml = receiver["yaml"].as_str().expect("a text");
        assert!(yaml.starts_with("- name: on-call\n  webhook_configs:\n"), "{yaml}");
        assert_eq!(outputs["read_back"]["value"], true, "another reader of YAML");

        workspace.write("main.tf", &format!("{HEAD}{WRONG}"));
        let error = workspace.validate().await.expect_error();
        assert!(error.contains("\"labels\"") && error.contains("no escape"), "{error}");
    }
}
