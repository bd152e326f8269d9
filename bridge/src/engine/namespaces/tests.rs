//! What is known of namespaces, by example.

use serde_json::Value;

use super::*;

fn object(namespace: &str, name: &str) -> DynamicObject {
    let mut object = DynamicObject::new(name, &Owned::Service.resource()).within(namespace);
    object.data = Value::Null;
    object
}

#[test]
fn one_refusal_refuses_its_namespace_and_no_other() {
    let namespaces = Namespaces::new();
    assert_eq!(namespaces.granted("a"), Grant::Unknown);
    for kind in [Owned::Secret, Owned::Deployment] {
        namespaces.watch("a", kind);
    }
    namespaces.watch("b", Owned::Secret);
    assert!(!namespaces.allow("b", Owned::Secret, true));
    assert!(!namespaces.allow("a", Owned::Secret, true));
    assert_eq!(namespaces.granted("a"), Grant::Unknown);
    assert!(namespaces.allow("a", Owned::Deployment, false), "news");
    assert!(!namespaces.allow("a", Owned::Secret, false), "no news");
    assert_eq!(namespaces.granted("a"), Grant::Refused);
    assert_eq!(namespaces.granted("b"), Grant::Granted);
}

#[test]
fn a_right_that_is_granted_later_is_news() {
    let namespaces = Namespaces::new();
    namespaces.watch("a", Owned::Secret);
    namespaces.allow("a", Owned::Secret, false);
    assert!(namespaces.allow("a", Owned::Secret, true));
    assert_eq!(namespaces.granted("a"), Grant::Granted);
}

#[test]
fn objects_are_found_by_kind_namespace_and_name_while_they_are_watched() {
    let namespaces = Namespaces::new();
    namespaces.put(Owned::Service, object("a", "x"));
    assert!(namespaces.owned(Owned::Service, "a", "x").is_none(), "nobody watches");
    namespaces.watch("a", Owned::Service);
    namespaces.put(Owned::Service, object("a", "x"));
    assert!(namespaces.owned(Owned::Service, "a", "x").is_some());
    assert!(namespaces.owned(Owned::Secret, "a", "x").is_none());
    assert_eq!(namespaces.names(Owned::Service, "a"), ["x"]);
    assert!(namespaces.remove(Owned::Service, "a", "x").is_some());
    namespaces.unwatch("a", Owned::Service);
    assert_eq!(namespaces.granted("a"), Grant::Unknown);
    assert!(lock(&namespaces.watched).is_empty(), "nothing is kept");
}

#[test]
fn labels_that_stay_are_no_news() {
    let namespaces = Namespaces::new();
    let labels = || Some(BTreeMap::from([("team".to_owned(), "a".to_owned())]));
    assert!(!namespaces.set_labels("a", None));
    assert!(namespaces.set_labels("a", labels()));
    assert!(!namespaces.set_labels("a", labels()));
    assert_eq!(namespaces.labels("a").as_deref(), labels().as_ref());
    assert!(namespaces.set_labels("a", None));
    assert_eq!(namespaces.labels("a"), None);
}
