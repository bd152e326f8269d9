//! Whole runs over files.

use serde_json::Value;

use super::*;

const SERVER: &str = "
apiVersion: terdut.ryuvia.com/v1alpha1
kind: TerdutServer
metadata: {name: terdut, namespace: ops}
spec:
  image: {tag: v1}
  database: {postgresClusterRef: {name: pg}}
  allowedTeams: {namespaces: {from: Selector, selector: {matchLabels: {oncall: 'yes'}}}}
";

fn team(namespace: &str, name: &str) -> String {
    format!(
        "
apiVersion: terdut.ryuvia.com/v1alpha1
kind: TerdutTeam
metadata: {{name: {name}, namespace: {namespace}}}
spec: {{serverRef: {{name: terdut, namespace: ops}}, displayName: Platform}}
"
    )
}

fn namespace(name: &str, labels: &str) -> String {
    format!("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}, labels: {labels}}}\n")
}

fn rule(name: &str, team: &str) -> String {
    format!(
        "
apiVersion: terdut.ryuvia.com/v1alpha1
kind: TerdutEscalationRule
metadata: {{name: {name}, namespace: dev}}
spec: {{teamRef: {{name: {team}}}, levels: [{{timeout: 5m, targets: [{{kind: oncall}}]}}]}}
"
    )
}

fn checked(documents: &[String], output: Output) -> (ExitCode, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("all.yaml"), documents.join("---\n")).unwrap();
    let filename = vec![folder.path().to_owned()];
    let args = Args { filename, namespace: "default".to_owned(), output };
    let mut out = Vec::new();
    let code = run(&args, &mut out).unwrap();
    (code, String::from_utf8(out).unwrap())
}

fn messages(documents: &[String]) -> Vec<String> {
    let (_, text) = checked(documents, Output::Json);
    let answer: Value = serde_json::from_str(&text).unwrap();
    let shown = |one: &Value| {
        let text = |name: &str| one[name].as_str().unwrap().to_owned();
        format!("{} {} {}: {}", text("severity"), text("object"), text("field"), text("message"))
    };
    answer["findings"].as_array().unwrap().iter().map(shown).collect()
}

#[test]
fn consent_is_judged_by_the_labels_in_the_files() {
    let with =
        |labels: &str| messages(&[SERVER.to_owned(), team("dev", "t"), namespace("dev", labels)]);
    assert_eq!(with("{oncall: 'yes'}"), Vec::<String>::new());
    assert_eq!(
        with("{oncall: 'no'}"),
        [
            "error TerdutTeam dev/t spec.serverRef: TerdutServer ops/terdut does not allow teams of the \
          namespace dev: see its spec.allowedTeams"
        ]
    );
    let unknown = messages(&[SERVER.to_owned(), team("dev", "t")]);
    assert!(unknown[0].starts_with("warning TerdutTeam dev/t spec.serverRef"), "{unknown:?}");
}

#[test]
fn what_only_one_may_have_is_told_at_the_second() {
    let found = messages(&[
        SERVER.to_owned(),
        namespace("dev", "{oncall: 'yes'}"),
        namespace("web", "{oncall: 'yes'}"),
        team("dev", "t"),
        team("web", "u"),
        team("dev", "t"),
        rule("a", "t"),
        rule("b", "t"),
        rule("c", "other"),
    ]);
    assert_eq!(found.len(), 5, "{found:#?}");
    assert!(
        found[0].contains("TerdutTeam web/u spec.displayName: TerdutTeam dev/t has the same name")
    );
    assert!(found[1].contains("TerdutTeam dev/t metadata.name: it is also in"));
    assert!(found[2].contains("TerdutTeam dev/t spec.displayName: TerdutTeam web/u"));
    assert!(
        found[3].contains("dev/b spec.teamRef: TerdutEscalationRule dev/a is for the same team")
    );
    assert_eq!(
        found[4],
        "warning TerdutEscalationRule dev/c spec.teamRef: TerdutTeam dev/other is in none of the files"
    );
}

#[test]
fn the_exit_code_tells_errors_from_warnings() {
    let (code, text) = checked(&[rule("a", "t")], Output::Text);
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(text.ends_with("objects: 1, errors: 0, warnings: 1\n"), "{text}");
    let bad = rule("a", "t").replace("5m", "5x");
    let (code, text) = checked(&[bad], Output::Text);
    assert_eq!(code, ExitCode::from(1));
    assert!(text.contains("error: TerdutEscalationRule dev/a spec.levels[0].timeout: write a"));
}

#[test]
fn a_file_that_is_none_is_named() {
    let filename = vec![PathBuf::from("/nowhere/x.yaml")];
    let args = Args { filename, namespace: String::new(), output: Output::Text };
    let failure = run(&args, &mut Vec::new()).unwrap_err();
    assert_eq!(failure.to_string(), "/nowhere/x.yaml cannot be read");
}
