//! What each function gives, and which argument an error names.

use terdut_plugin::function::{Function, FunctionError};
use terdut_plugin::value::Value;

use super::alertmanager_receiver::AlertmanagerReceiver;
use super::duration::Duration;
use super::matcher::Matcher;

fn call(function: &dyn Function, arguments: &[&str]) -> Result<Value, FunctionError> {
    function.call(arguments.iter().map(|text| Value::string(*text)).collect())
}

fn labels(pairs: &[(&str, &str)]) -> Result<Value, FunctionError> {
    let map = Value::map(pairs.iter().map(|(label, value)| (*label, Value::string(*value))));
    Matcher.call(vec![map])
}

fn argument(result: &Result<Value, FunctionError>) -> Option<i64> {
    result.as_ref().unwrap_err().argument
}

#[test]
fn a_duration_has_one_form_and_exact_seconds() {
    for (text, canonical, seconds) in [
        ("90m", "1h30m0s", "5400"),
        ("1h30m", "1h30m0s", "5400"),
        ("1500ms", "1.5s", "1.5"),
        ("1ns", "1ns", "0.000000001"),
        ("-2s", "-2s", "-2"),
        ("0", "0s", "0"),
    ] {
        let seconds = Value::Number(seconds.parse().unwrap());
        let expected =
            Value::object([("canonical", Value::string(canonical)), ("seconds", seconds)]);
        assert_eq!(call(&Duration, &[text]), Ok(expected), "{text}");
    }
    for text in ["", "soon", "1d", "10", "300000h0m0s1"] {
        assert_eq!(argument(&call(&Duration, &[text])), Some(0), "{text}");
    }
}

#[test]
fn labels_become_a_matcher_or_an_error() {
    let made = labels(&[("cluster", "prod"), ("alertname", "Watchdog")]);
    assert_eq!(made, Ok(Value::string("alertname=Watchdog,cluster=prod")));
    assert_eq!(labels(&[("path", "a=b")]), Ok(Value::string("path=a=b")));
    for pairs in [
        &[][..],
        &[("a", "x,b=y")],
        &[("a", " x")],
        &[("a", "")],
        &[("a", "\"x\"")],
        &[("a", "x\\y")],
        &[("a", "x\ny")],
        &[("1a", "x")],
        &[("a!", "x")],
        &[("a,b", "x")],
    ] {
        assert_eq!(argument(&labels(pairs)), Some(0), "{pairs:?}");
    }
}

#[test]
fn a_receiver_is_an_object_and_the_same_as_yaml() {
    let url = "https://terdut.example.com/api/integrations/k3y/alertmanager";
    let made = call(&AlertmanagerReceiver, &["on-call: \"us\"", url]).unwrap();
    let Value::Object(made) = made else { panic!("an object") };
    let yaml = made["yaml"].as_str().unwrap();
    assert_eq!(
        yaml,
        format!(
            "- name: \"on-call: \\\"us\\\"\"\n  webhook_configs:\n  - send_resolved: true\n    \
             url: {url}\n"
        )
    );
    let webhook =
        Value::object([("url", Value::string(url)), ("send_resolved", Value::Bool(true))]);
    let receiver = Value::object([
        ("name", Value::string("on-call: \"us\"")),
        ("webhook_configs", Value::List(vec![webhook])),
    ]);
    assert_eq!(made["receiver"], receiver);
}

#[test]
fn a_receivers_name_is_read_back_as_it_is_whatever_is_in_it() {
    let url = "https://h/api/integrations/k3y/alertmanager";
    for name in [
        "a\u{7f}b\u{80}c\u{85}d\u{9f}e\u{2028}f\u{2029}g\u{feff}",
        "a\tb\nc\r\u{0}",
        "yes",
        "2",
        "- a: &b *c # d",
        " blanks around ",
        "\"quoted\" 'twice' \\",
        "監視 🚨",
    ] {
        let made = call(&AlertmanagerReceiver, &[name, url]).unwrap();
        let yaml = made.attribute("yaml").and_then(Value::as_str).unwrap();
        let raw = |letter: char| {
            matches!(letter, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
        };
        assert!(!yaml.contains(raw), "{yaml:?}");
        let read: serde_json::Value = serde_saphyr::from_str(yaml).unwrap();
        let webhook = serde_json::json!({ "url": url, "send_resolved": true });
        let expected = serde_json::json!([{ "name": name, "webhook_configs": [webhook] }]);
        assert_eq!(read, expected, "{yaml:?}");
    }
}

#[test]
fn a_receivers_error_names_the_argument_and_not_the_key() {
    assert_eq!(argument(&call(&AlertmanagerReceiver, &[" ", "https://h/k"])), Some(0));
    let wrong = call(&AlertmanagerReceiver, &["a", "s3cret-no-url"]);
    assert_eq!(argument(&wrong), Some(1));
    assert!(!wrong.unwrap_err().text.contains("s3cret"));
}
