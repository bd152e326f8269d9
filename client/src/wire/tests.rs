//! Tables: what is sent for a request, and what an answer means.

use bytes::Bytes;
use http::{Method, StatusCode};
use terdut_core::api::{AccountScope, Level, Me, NewSwitch, Policy, Reply, Request, Target};
use terdut_core::error::{Class, Effect};
use terdut_core::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use terdut_core::secret::SecretString;

use super::error::unreadable;
use super::{Context, absent, classify, decode, encode};
use crate::said::Secrets;

const TEAM: TeamId = TeamId(7);

fn read(request: &Request, body: &str) -> Result<Reply, Class> {
    let pages = [Bytes::copy_from_slice(body.as_bytes())];
    decode(request, &pages).map_err(|lost| {
        let wire = encode(request);
        let secrets = Secrets::default();
        let context = Context { method: &wire.method, route: wire.route, secrets: &secrets };
        unreadable(context, StatusCode::OK, &pages[0], &lost.why).class
    })
}

#[test]
fn a_request_becomes_method_path_and_body() {
    let policy = Policy {
        repeat_count: 2,
        fallback_topic: None,
        levels: vec![Level {
            timeout: "5m".into(),
            targets: vec![Target::OnCall, Target::User(UserId(3))],
        }],
    };
    let switch = NewSwitch {
        name: "n".into(),
        matcher: "a=b".into(),
        timeout: "1h".into(),
        severity: "high".into(),
    };
    let password = SecretString::new("p\"w");
    for (request, method, path, body) in [
        (Request::Health, Method::GET, "/healthz", ""),
        (Request::ListAccounts { name: None }, Method::GET, "/api/service-accounts", ""),
        (
            Request::SetPassword { user: UserId(3), password },
            Method::PUT,
            "/api/users/3/password",
            r#"{"password":"p\"w"}"#,
        ),
        (
            Request::RevokeUserKey { user: UserId(3), key: KeyId(4) },
            Method::DELETE,
            "/api/users/3/api-keys/4",
            "",
        ),
        (
            Request::CreateAccount { name: "a".into(), scope: AccountScope::Team(TEAM) },
            Method::POST,
            "/api/service-accounts",
            r#"{"name":"a","scope":"team","team_id":7}"#,
        ),
        (
            Request::RevokeKey { account: AccountId(5), key: KeyId(9) },
            Method::DELETE,
            "/api/service-accounts/5/keys/9",
            "",
        ),
        (
            Request::SetGroups { team: TEAM, member: "m".into(), owner: String::new() },
            Method::PUT,
            "/api/teams/7/oidc-groups",
            r#"{"member_group":"m","owner_group":""}"#,
        ),
        (
            Request::PutPolicy { team: TEAM, policy },
            Method::PUT,
            "/api/teams/7/escalation",
            r#"{"levels":[{"targets":[{"kind":"oncall"},{"kind":"user","user_id":3}],"timeout":"5m"}],"repeat_count":2}"#,
        ),
        (
            Request::CreateSwitch { team: TEAM, switch },
            Method::POST,
            "/api/teams/7/deadman-switches",
            r#"{"matcher":"a=b","name":"n","severity":"high","timeout":"1h"}"#,
        ),
        (
            Request::DeleteSwitch { team: TEAM, switch: SwitchId(8) },
            Method::DELETE,
            "/api/teams/7/deadman-switches/8",
            "",
        ),
        (
            Request::RenameIntegration {
                team: TEAM,
                integration: IntegrationId(2),
                name: "x".into(),
            },
            Method::PATCH,
            "/api/teams/7/integrations/2",
            r#"{"name":"x"}"#,
        ),
        (Request::OnCall, Method::GET, "/api/schedule/current", ""),
    ] {
        let wire = encode(&request);
        let sent = (wire.method, wire.path.as_str(), wire.body.as_deref().unwrap_or_default());
        assert_eq!(sent, (method, path, body), "{request:?}");
    }
}

#[test]
fn a_list_may_be_null_and_carry_unknown_fields() {
    let teams = r#"[{"id":9007199254740993,"name":"a","colour":"red","oidc_owner_group":null},
                    {"id":2,"name":"b","oidc_member_group":"m","oidc_owner_group":""}]"#;
    let Ok(Reply::Teams(teams)) = read(&Request::ListTeams, teams) else { panic!() };
    assert_eq!(teams[0].id, TeamId(9_007_199_254_740_993));
    assert_eq!((teams[0].oidc_owner_group.as_deref(), teams.len()), (None, 2));
    assert_eq!(teams[1].oidc_member_group.as_deref(), Some("m"));
    assert_eq!(teams[1].oidc_owner_group, None);
    assert_eq!(read(&Request::ListTeams, "null\n"), Ok(Reply::Teams([].into())));
}

#[test]
fn accounts_may_be_one_object_or_none() {
    let request = Request::ListAccounts { name: Some("a".into()) };
    for (body, ids) in [
        (r#"[{"id":1,"name":"a","scope":"instance"}]"#, vec![1]),
        (r#" {"id":1,"name":"a","scope":"team","team_id":7}"#, vec![1]),
        ("{ }", vec![]),
        ("[]", vec![]),
    ] {
        let Ok(Reply::Accounts(accounts)) = read(&request, body) else { panic!("{body}") };
        let found: Vec<i64> = accounts.iter().map(|account| account.id.0).collect();
        assert_eq!(found, ids, "{body}");
    }
    assert_eq!(read(&Request::ListAccounts { name: None }, "{}"), Err(Class::Invalid));
}

#[test]
fn a_new_account_is_read_flat_or_nested_but_never_without_its_key() {
    let request = Request::CreateAccount { name: "a".into(), scope: AccountScope::Instance };
    for body in [
        r#"{"id":1,"name":"a","scope":"instance","key":{"id":2,"name":"k","key":"secret"}}"#,
        r#"{"service_account":{"id":1,"name":"a","scope":"instance"},"key":{"id":2,"key":"secret"}}"#,
        r#"{"service_account":{"id":1,"name":"a","scope":"instance"},"api_key":{"id":2,"key":"secret","last_used_at":null}}"#,
    ] {
        let Ok(Reply::NewAccount(made)) = read(&request, body) else { panic!("{body}") };
        assert_eq!((made.account.id, made.key.id), (AccountId(1), KeyId(2)));
        assert_eq!(made.account.scope, AccountScope::Instance);
        assert_eq!(made.key.key, Some(SecretString::new("secret")));
    }
    let without = r#"{"id":1,"name":"a","scope":"instance","key":{"id":2,"name":"k"}}"#;
    assert_eq!(read(&request, without), Err(Class::Invalid));
}

#[test]
fn me_is_a_person_or_an_account() {
    let user = r#"{"user":{"id":3,"username":"ann","email":"a@b"},"has_password":true}"#;
    let Ok(Reply::Me(Me::User { user, has_password })) = read(&Request::Me, user) else { panic!() };
    assert_eq!((user.id, has_password), (UserId(3), true));
    for body in [
        r#"{"service_account":{"id":5,"name":"a","scope":"team","team_id":7}}"#,
        r#"{"id":5,"name":"a","scope":"team","team_id":7}"#,
    ] {
        let Ok(Reply::Me(Me::Account(account))) = read(&Request::Me, body) else { panic!() };
        assert_eq!((account.id, account.scope), (AccountId(5), AccountScope::Team(TEAM)));
    }
}

#[test]
fn a_policy_without_levels_is_none_and_an_unknown_target_is_kept() {
    let request = Request::GetPolicy { team: TEAM };
    for body in ["{}", "null", r#"{"team_id":7,"repeat_count":3,"levels":null}"#] {
        assert_eq!(read(&request, body), Ok(Reply::Policy(None)), "{body}");
    }
    let body = r#"{"repeat_count":1,"levels":[{"timeout":"5m0s","targets":[{"kind":"user"},
        {"kind":"pager","user_id":4},{"kind":"oncall"}]}]}"#;
    let Ok(Reply::Policy(Some(policy))) = read(&request, body) else { panic!() };
    let kinds: Vec<String> =
        policy.levels[0].targets.iter().map(|target| format!("{target:?}")).collect();
    assert!(kinds[0].contains("Other") && kinds[1].contains("UserId(4)"), "{kinds:?}");
    assert_eq!(policy.levels[0].targets[2], Target::OnCall);
}

#[test]
fn an_answer_that_cannot_be_read_has_a_class() {
    for (request, body, class) in [
        (Request::ListTeams, "", Class::Retryable),
        (Request::ListTeams, "<!doctype html><title>x</title>", Class::Retryable),
        (Request::ListTeams, r#"[{"id":1,"na"#, Class::Retryable),
        (Request::ListTeams, "welcome", Class::Retryable),
        (Request::ListTeams, r#"[{"id":1}]"#, Class::Invalid),
        (Request::ListTeams, "{}", Class::Invalid),
        (Request::ListTeams, r#"{"error":"no"}"#, Class::Invalid),
        (Request::ListAccounts { name: None }, r#"{"error":"no"}"#, Class::Invalid),
    ] {
        assert_eq!(read(&request, body), Err(class), "{body}");
    }
    let nothing_to_read = Request::DeleteTeam { team: TEAM };
    assert_eq!(read(&nothing_to_read, ""), Ok(Reply::Done));
}

#[test]
fn a_refusal_has_a_class_and_an_effect() {
    let secrets = Secrets::default();
    let method = Method::POST;
    let context = Context { method: &method, route: "/api/teams", secrets: &secrets };
    let (json, html) = (r#"{"error":"why"}"#, "<html><title>Blocked</title></html>");
    for (status, body, class, effect) in [
        (400, json, Class::Invalid, Effect::None),
        (401, json, Class::Denied, Effect::None),
        (403, "", Class::Denied, Effect::None),
        (403, html, Class::Denied, Effect::None),
        (404, json, Class::NotFound, Effect::None),
        (404, "404 page not found\n", Class::TooOld, Effect::None),
        (404, html, Class::Retryable, Effect::Unknown),
        (404, "", Class::Retryable, Effect::Unknown),
        (404, r#"{"message":"no Route matched"}"#, Class::Retryable, Effect::Unknown),
        (405, "Method Not Allowed\n", Class::TooOld, Effect::None),
        (409, json, Class::Conflict, Effect::None),
        (409, html, Class::Retryable, Effect::Unknown),
        (413, html, Class::Retryable, Effect::Unknown),
        (422, json, Class::Invalid, Effect::None),
        (429, "", Class::Retryable, Effect::None),
        (500, json, Class::Retryable, Effect::Unknown),
        (502, html, Class::Retryable, Effect::Unknown),
    ] {
        let error = classify(context, StatusCode::from_u16(status).unwrap(), body.as_bytes());
        assert_eq!((error.class, error.effect), (class, effect), "{status} {body}");
        assert_eq!(error.own_word, body == json, "{status} {body}");
    }
    let error = classify(context, StatusCode::BAD_GATEWAY, html.as_bytes());
    assert_eq!(
        error.to_string(),
        "POST /api/teams: status 502: an HTML page (\"Blocked\") instead of JSON"
    );
}

#[test]
fn only_the_servers_own_404_means_that_there_is_none() {
    let secrets = Secrets::default();
    let method = Method::GET;
    let context = Context { method: &method, route: "/api/schedule/current", secrets: &secrets };
    let refused = |body: &str| classify(context, StatusCode::NOT_FOUND, body.as_bytes());
    let json = refused(r#"{"error":"nobody"}"#);
    assert_eq!(absent(&Request::OnCall, &json), Some(Reply::OnCall(None)));
    assert_eq!(absent(&Request::GetPolicy { team: TEAM }, &json), Some(Reply::Policy(None)));
    let by_name = Request::ListAccounts { name: Some("a".into()) };
    assert_eq!(absent(&by_name, &json), Some(Reply::Accounts([].into())));
    assert_eq!(absent(&Request::ListAccounts { name: None }, &json), None);
    assert_eq!(absent(&Request::ListSwitches { team: TEAM }, &json), None);
    for body in ["404 page not found", "<html>", ""] {
        assert_eq!(absent(&Request::OnCall, &refused(body)), None, "{body}");
    }
}

proptest::proptest! {
    #[test]
    fn no_answer_makes_the_decoder_panic(
        body in r#"[\[{]?("(id|name|key|user|service_account|levels)":|[\[\]{},"0-9a-z<]|null){0,12}"#,
        status in 400_u16..600,
    ) {
        let requests = [
            Request::ListTeams,
            Request::ListAccounts { name: None },
            Request::CreateAccount { name: "a".into(), scope: AccountScope::Instance },
            Request::Me,
            Request::GetPolicy { team: TEAM },
            Request::CreateIntegration { team: TEAM, kind: "k".into(), name: "n".into() },
            Request::OnCall,
        ];
        for request in requests {
            let _ = read(&request, &body);
        }
        let secrets = Secrets::default();
        let context = Context { method: &Method::GET, route: "/", secrets: &secrets };
        let _ = classify(context, StatusCode::from_u16(status).unwrap(), body.as_bytes());
    }
}
