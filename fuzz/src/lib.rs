//! The bodies of the fuzz targets: any bytes in, and what must hold of whatever comes out.
//!
//! The targets in `fuzz_targets` run them under libFuzzer; the suite in `tests/tests/fuzz` takes
//! this same file and runs them over the seeds and over generated input. They must never need a
//! clock, a network or a file.

use bytes::Bytes;
use terdut_core::api::{AccountScope, Level, NewSwitch, Policy, Request, Target};
use terdut_core::error::{Class, Effect};
use terdut_core::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use terdut_core::secret::SecretString;
use terdut_core::value::{GoDuration, Matcher};
use terdut_plugin::codec::{self, json, msgpack as wire};
use terdut_plugin::ty::Type;
use terdut_proto::tfplugin6::DynamicValue;

/// A body.
pub type Body = fn(&[u8]);

/// Every target with its body.
pub const TARGETS: [(&str, Body); 5] = [
    ("dynamic_value", dynamic_value),
    ("msgpack", msgpack),
    ("http_body", http_body),
    ("duration", duration),
    ("matcher", matcher),
];

/// Types of every kind.
const TYPES: [&str; 12] = [
    r#""string""#,
    r#""number""#,
    r#""bool""#,
    r#""dynamic""#,
    r#"["list","string"]"#,
    r#"["set","number"]"#,
    r#"["map","bool"]"#,
    r#"["map","dynamic"]"#,
    r#"["tuple",["string",["list","number"]]]"#,
    r#"["object",{"id":"string","size":"number","tags":["map","string"]}]"#,
    r#"["list",["object",{"timeout":"string","targets":["list",["object",{"kind":"string"}]]}]]"#,
    r#"["set",["object",{"any":"dynamic"}]]"#,
];

fn ty(index: u8) -> Type {
    let text = TYPES[usize::from(index) % TYPES.len()];
    Type::from_json_bytes(text.as_bytes()).expect("a type of the table")
}

/// The first byte picks a type, the second the form, the rest is the value.
///
/// # Panics
/// If what must hold does not.
pub fn dynamic_value(data: &[u8]) {
    let [first, second, rest @ ..] = data else { return };
    let (ty, bytes) = (ty(*first), Bytes::copy_from_slice(rest));
    let in_json = second % 2 == 1;
    let (msgpack, json) = if in_json { (Bytes::new(), bytes) } else { (bytes, Bytes::new()) };
    let _ = json::decode(rest, &ty, json::Mode::Lenient);
    let _ = Type::from_json_bytes(rest);
    let Ok(value) = codec::decode(Some(&DynamicValue { msgpack, json }), &ty) else { return };
    let written = codec::encode(&value, &ty).expect("what was read can be written");
    let again = codec::decode(Some(&written), &ty).expect("what was written can be read");
    assert_eq!(again, value, "written and read again");
}

/// Every type, and the same bytes.
///
/// # Panics
/// If what must hold does not.
pub fn msgpack(data: &[u8]) {
    for index in 0..TYPES.len() {
        let ty = ty(u8::try_from(index).unwrap_or_default());
        let Ok(value) = wire::decode(data, &ty) else { continue };
        let written = wire::encode(&value, &ty).expect("what was read can be written");
        let again = wire::decode(&written, &ty).expect("what was written can be read");
        assert_eq!(again, value, "written and read again as {ty}");
        if let Ok(text) = json::encode(&value, &ty) {
            let strict = json::decode(&text, &ty, json::Mode::Strict).expect("JSON of ours");
            assert_eq!(strict, value, "through JSON as {ty}");
        }
    }
}

const TEAM: TeamId = TeamId(7);

/// Every request that there is.
fn requests() -> Vec<Request> {
    let text = || "a".to_owned();
    let (user, key, account) = (UserId(1), KeyId(2), AccountId(3));
    let (switch, integration) = (SwitchId(4), IntegrationId(5));
    vec![
        Request::Health,
        Request::Bootstrap { username: text(), email: "a@example.org".to_owned() },
        Request::Me,
        Request::ListUsers,
        Request::CreateUser { username: text(), email: "a@example.org".to_owned() },
        Request::DeleteUser { user },
        Request::SetPassword { user, password: SecretString::new("a password") },
        Request::SetTopic { user, topic: text() },
        Request::MintUserKey { user, name: text() },
        Request::RevokeUserKey { user, key },
        Request::ListAccounts { name: None },
        Request::ListAccounts { name: Some(text()) },
        Request::CreateAccount { name: text(), scope: AccountScope::Instance },
        Request::DeleteAccount { account },
        Request::ListKeys { account },
        Request::MintKey { account, name: text() },
        Request::RevokeKey { account, key },
        Request::ListTeams,
        Request::CreateTeam { name: text() },
        Request::RenameTeam { team: TEAM, name: text() },
        Request::SetGroups { team: TEAM, member: text(), owner: text() },
        Request::DeleteTeam { team: TEAM },
        Request::GetPolicy { team: TEAM },
        Request::PutPolicy { team: TEAM, policy: policy() },
        Request::ListSwitches { team: TEAM },
        Request::CreateSwitch { team: TEAM, switch: new_switch() },
        Request::DeleteSwitch { team: TEAM, switch },
        Request::ListIntegrations { team: TEAM },
        Request::CreateIntegration { team: TEAM, kind: text(), name: text() },
        Request::RenameIntegration { team: TEAM, integration, name: text() },
        Request::DeleteIntegration { team: TEAM, integration },
        Request::OnCall,
        Request::ListFiring,
    ]
}

fn policy() -> Policy {
    let level = Level { timeout: "5m".to_owned(), targets: vec![Target::OnCall] };
    Policy { repeat_count: 1, fallback_topic: None, levels: vec![level] }
}

fn new_switch() -> NewSwitch {
    NewSwitch {
        name: "a".to_owned(),
        matcher: "a=b".to_owned(),
        timeout: "5m".to_owned(),
        severity: "high".to_owned(),
    }
}

const STATUSES: [u16; 16] =
    [200, 201, 204, 400, 401, 403, 404, 405, 409, 418, 429, 500, 501, 502, 503, 504];

/// The first byte picks a status; a zero byte parts the pages.
///
/// # Panics
/// If what must hold does not.
pub fn http_body(data: &[u8]) {
    let [first, rest @ ..] = data else { return };
    let status = STATUSES[usize::from(*first) % STATUSES.len()];
    let pages: Vec<Bytes> = rest.split(|byte| *byte == 0).map(Bytes::copy_from_slice).collect();
    for request in requests() {
        match terdut_client::read_answer(&request, status, &pages) {
            Ok(_) => assert!(
                status < 300 || status == 404,
                "{request:?}: a success with status {status}"
            ),
            Err(error) => {
                assert!(error.said.chars().count() <= 300, "{error}");
                assert!(!error.said.chars().any(char::is_control), "{:?}", error.said);
                let refused = matches!(status, 401 | 403);
                assert_eq!(error.class == Class::Denied, refused, "{status}: {error}");
                let wrote = status < 300 && error.method != "GET";
                assert!(!wrote || error.effect == Effect::Unknown, "{status}: {error:?}");
            }
        }
    }
}

/// What is read is written so that it is read as the same.
///
/// # Panics
/// If what must hold does not.
pub fn duration(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(value) = text.parse::<GoDuration>() else { return };
    for written in [value.to_string(), value.short()] {
        assert_eq!(written.parse(), Ok(value), "{text:?} as {written:?}");
    }
    assert!(value.is(&text), "{text:?} means itself");
    assert_eq!(value.nanos() < 0, value < GoDuration::from_nanos(0));
    let _ = value.to_std();
}

/// What is read is written so that it means the same, and its one form stays as it is.
///
/// # Panics
/// If what must hold does not.
pub fn matcher(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(matcher) = text.parse::<Matcher>() else { return };
    let canonical = matcher.canonical();
    assert!(matcher.is(&text) && matcher.is(&canonical) && matcher.is(&matcher.to_string()));
    let again: Matcher = canonical.parse().expect("its one form is a matcher");
    assert_eq!(again.canonical(), canonical);
    assert_eq!(again.pairs().len(), matcher.pairs().len());
    for (label, value) in matcher.pairs() {
        assert!(!label.is_empty() && !value.is_empty(), "{text:?}");
        assert!(!value.contains([',', '"', '\\']), "{text:?}");
    }
}
