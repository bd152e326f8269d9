//! Whole runs over files.

use super::*;

const SERVER: &str = "
apiVersion: terdut.ryuvia.com/v1alpha1
kind: TerdutServer
metadata: {name: terdut}
spec:
  image: {tag: v1}
  database: {postgresClusterRef: {name: pg}}
";
const POSTGRESQL: &str = "
apiVersion: acid.zalan.do/v1
kind: postgresql
metadata: {name: pg}
spec: {databases: {terdut: owner}}
";

fn rendered(documents: &[&str]) -> (ExitCode, Vec<Value>, String) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), documents.join("---\n")).unwrap();
    let args = Args {
        filename: vec![file.path().to_owned()],
        namespace: "ops".to_owned(),
        output: Format::Yaml,
    };
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let code = run(&args, &mut out, &mut errors).unwrap();
    let objects = manifest::read(&String::from_utf8(out).unwrap()).unwrap();
    (code, objects, String::from_utf8(errors).unwrap())
}

#[test]
fn a_server_becomes_its_objects() {
    let (code, objects, errors) = rendered(&[SERVER, POSTGRESQL]);
    assert_eq!((code, errors.as_str()), (ExitCode::SUCCESS, ""));
    let kinds: Vec<_> = objects.iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["ServiceAccount", "Service", "Deployment"]);
    assert!(objects.iter().all(|one| one["metadata"]["namespace"] == "ops"));
    assert!(objects.iter().all(|one| one["metadata"].get("ownerReferences").is_none()));
}

#[test]
fn a_missing_database_and_a_bad_spec_are_told() {
    let (code, objects, errors) = rendered(&[SERVER]);
    assert_eq!((code, objects.len()), (ExitCode::from(1), 0));
    assert!(errors.contains("the postgresql ops/pg is in none of the files"), "{errors}");
    let (code, _, errors) = rendered(&[&SERVER.replace("v1}", "'v 1'}"), POSTGRESQL]);
    assert_eq!(code, ExitCode::from(1));
    assert!(errors.contains("spec.image.tag: write a tag"), "{errors}");
}

#[test]
fn files_without_a_server_render_nothing() {
    let (code, _, errors) = rendered(&[POSTGRESQL]);
    assert_eq!(code, ExitCode::from(1));
    assert!(errors.contains("no TerdutServer"), "{errors}");
}
