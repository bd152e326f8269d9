//! Retry, lost answers, paging, limits and what an error says.

use std::time::{Duration, Instant};

use terdut_client::{Client, Observer};
use terdut_core::api::Request;
use terdut_core::error::{Class, Effect};
use terdut_core::ids::TeamId;
use terdut_core::secret::SecretString;

use crate::peer::{Act, Peer, json, with_headers};
use crate::{client, settings};

const TEAM: &str = r#"{"id":1,"name":"a"}"#;

fn create() -> Request {
    Request::CreateTeam { name: "a".into() }
}

fn rename() -> Request {
    Request::RenameTeam { team: TeamId(1), name: "a".into() }
}

#[tokio::test]
async fn reads_puts_and_deletes_are_repeated_until_they_work() {
    for request in [Request::ListTeams, Request::DeleteTeam { team: TeamId(1) }] {
        let script =
            [Act::Drop, json(503, ""), json(502, "<html>"), json(504, ""), json(200, "[]")];
        let peer = Peer::start(script).await;
        client(&peer.url()).call(request.clone()).await.unwrap();
        assert_eq!(peer.log().len(), 5, "{request:?}");
    }
    let peer = Peer::start([json(503, "")]).await;
    let error = client(&peer.url()).call(rename()).await.unwrap_err();
    assert_eq!((error.class, error.effect), (Class::Retryable, Effect::Unknown));
    assert_eq!(peer.log().len(), 5);
}

#[tokio::test]
async fn a_post_whose_answer_is_lost_is_not_repeated() {
    let cut_off = b"HTTP/1.1 201 X\r\ncontent-length: 50\r\n\r\n{\"id\":1".to_vec();
    for (act, class) in [
        (Act::Drop, Class::Unreachable),
        (Act::Raw(cut_off), Class::Retryable),
        (json(502, ""), Class::Retryable),
        (json(201, ""), Class::Retryable),
        (json(201, "<html>"), Class::Retryable),
    ] {
        let peer = Peer::start([act.clone(), json(201, TEAM)]).await;
        let error = client(&peer.url()).call(create()).await.unwrap_err();
        assert_eq!((error.class, error.effect), (class, Effect::Unknown), "{act:?} {error}");
        assert_eq!(peer.log().len(), 1, "{act:?}");
    }
}

#[tokio::test]
async fn a_post_that_was_refused_for_now_is_repeated() {
    let peer = Peer::start([with_headers(429, "retry-after: 1\r\n", ""), json(201, TEAM)]).await;
    let start = Instant::now();
    client(&peer.url()).call(create()).await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(peer.log().len(), 2);
}

#[tokio::test]
async fn the_look_after_a_post_waits_as_long_as_the_answer_asks() {
    let busy = with_headers(503, "retry-after: 1\r\n", "");
    let peer = Peer::start([busy, json(200, "[]")]).await;
    let client = client(&peer.url());
    let error = client.call(create()).await.unwrap_err();
    assert_eq!((error.class, error.effect), (Class::Retryable, Effect::Unknown));
    let start = Instant::now();
    client.call_fresh(Request::ListTeams).await.unwrap();
    assert!(start.elapsed() >= Duration::from_millis(900), "{:?}", start.elapsed());
}

#[tokio::test]
async fn who_asks_for_a_pause_of_an_hour_is_left_alone() {
    let limited = with_headers(429, "retry-after: 3600\r\n", "{\"error\":\"too many\"}");
    let peer = Peer::start([limited, json(200, "[]")]).await;
    let client = client(&peer.url());
    let error = client.call(create()).await.unwrap_err();
    assert_eq!((error.class, error.effect), (Class::Retryable, Effect::None));
    let said = "it asks for a pause of 3600 seconds, too long to wait for: too many";
    assert_eq!(error.said, said);
    let next = client.call(create()).await.unwrap_err();
    assert_eq!((next.class, next.effect), (Class::Retryable, Effect::None));
    assert!(next.said.contains("not sent") && next.said.contains("two minutes"), "{next}");
    assert_eq!(peer.log().len(), 1, "{:?}", peer.lines());
}

#[tokio::test]
async fn a_request_that_was_one_too_many_keeps_its_place() {
    let limited = with_headers(429, "retry-after: 1\r\n", "");
    let peer = Peer::start([limited, json(200, "[]")]).await;
    let mut settings = settings(&peer.url());
    settings.max_concurrency = 1;
    let client = Client::new(&settings).unwrap();
    let reads = (1..=3).map(|team| {
        let client = client.clone();
        async move { client.switches(TeamId(team)).await.unwrap() }
    });
    futures::future::join_all(reads).await;
    let asked: Vec<_> = peer.lines().iter().map(|line| line.contains("/teams/1/")).collect();
    assert_eq!(asked, [true, true, false, false], "{:?}", peer.lines());
}

#[tokio::test]
async fn a_post_that_never_left_has_no_effect() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let error = client(&url).call(create()).await.unwrap_err();
    assert_eq!((error.class, error.effect), (Class::Unreachable, Effect::None));
    assert!(error.said.contains("refused"), "{error}");
}

#[tokio::test]
async fn a_put_that_may_have_acted_says_so_although_its_last_attempt_was_refused() {
    let peer = Peer::start([Act::Drop, json(429, "")]).await;
    let error = client(&peer.url()).call(rename()).await.unwrap_err();
    assert_eq!((error.class, error.effect), (Class::Retryable, Effect::Unknown));
}

#[tokio::test]
async fn an_answer_that_does_not_come_ends_at_the_deadline() {
    let peer = Peer::start([Act::Hang]).await;
    let mut settings = settings(&peer.url());
    settings.request_timeout = Duration::from_millis(100);
    settings.max_retries = 1;
    let client = Client::new(&settings).unwrap();
    let error = client.call(Request::ListTeams).await.unwrap_err();
    assert_eq!((error.class, peer.log().len()), (Class::Unreachable, 2));
    assert!(error.said.contains("no answer within 0.1 s"), "{error}");
}

#[tokio::test]
async fn a_list_is_read_over_all_its_pages() {
    let more =
        |page: &str, to: &str| with_headers(200, &format!("link: <{to}>; rel=\"next\"\r\n"), page);
    let script = [more("[{\"id\":1,\"name\":\"a\"}]", "?page=2"), json(200, &format!("[{TEAM}]"))];
    let peer = Peer::start(script).await;
    let client = client(&format!("{}/base/", peer.url()));
    assert_eq!(client.teams().await.unwrap().len(), 2);
    let expected = ["GET /base/api/teams HTTP/1.1", "GET /base/api/teams?page=2 HTTP/1.1"];
    assert_eq!(peer.lines(), expected);

    let other = Peer::start([json(200, "[]")]).await;
    let peer = Peer::start([more("[]", &format!("{}/api/teams", other.url()))]).await;
    let error = crate::client(&peer.url()).teams().await.unwrap_err();
    assert_eq!(error.class, Class::Invalid);
    assert_eq!(other.log(), Vec::<String>::new());
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = Peer::start([json(200, "[]")]).await;
    let location = format!("location: {}/login?next=token-canary\r\n", other.url());
    let peer = Peer::start([with_headers(302, &location, "")]).await;
    let error = client(&peer.url()).teams().await.unwrap_err();
    assert_eq!((error.class, error.status), (Class::Invalid, Some(302)));
    assert!(error.said.contains(&other.url()) && !error.said.contains("canary"), "{error}");
    assert_eq!(other.log(), Vec::<String>::new());
}

#[tokio::test]
async fn a_key_goes_only_where_one_is_needed() {
    let bootstrapped = r#"{"user":{"id":1,"username":"a"},"api_key":{"id":2,"key":"k"}}"#;
    let peer = Peer::start([json(200, "ok"), json(201, bootstrapped), json(200, "[]")]).await;
    let client = client(&peer.url());
    client.health().await.unwrap();
    client.bootstrap("a".into(), "a@b".into()).await.unwrap();
    client.teams().await.unwrap();
    let with_key: Vec<bool> =
        peer.log().iter().map(|request| request.contains("token-canary")).collect();
    assert_eq!(with_key, [false, false, true]);
    assert!(peer.log()[2].contains("authorization: Bearer token-canary"), "{:?}", peer.log());
}

#[tokio::test]
async fn without_a_key_nothing_is_sent() {
    let peer = Peer::start([json(200, "[]")]).await;
    let mut settings = settings(&peer.url());
    settings.token = None;
    let error = Client::new(&settings).unwrap().teams().await.unwrap_err();
    assert_eq!((error.class, error.status), (Class::Denied, None));
    assert_eq!(peer.log(), Vec::<String>::new());
}

#[tokio::test]
async fn an_error_never_shows_a_secret() {
    let said = r#"{"error":"bad token-canary, header-canary, password-canary\u001b[2J"}"#;
    let peer = Peer::start([json(400, said)]).await;
    let mut settings = settings(&peer.url());
    settings.headers.insert("x-proxy".into(), SecretString::new("Basic header-canary"));
    let client = Client::new(&settings).unwrap();
    let password = SecretString::new("password-canary");
    let error = client.set_password(terdut_core::ids::UserId(3), password).await.unwrap_err();
    assert_eq!(error.to_string(), "PUT /api/users/{id}/password: status 400: bad ***, ***, ***[2J");
    assert!(!format!("{client:?}").contains("canary"));
}

#[tokio::test]
async fn no_more_requests_are_under_way_than_allowed() {
    let peer = Peer::start([Act::Hang]).await;
    let mut settings = settings(&peer.url());
    settings.max_concurrency = 2;
    let client = Client::new(&settings).unwrap();
    for team in 1..=5 {
        let client = client.clone();
        tokio::spawn(async move { client.switches(TeamId(team)).await });
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(peer.log().len(), 2);
}

#[tokio::test]
async fn a_request_that_is_dropped_frees_its_place() {
    let peer = Peer::start([Act::Hang, json(200, "[]")]).await;
    let mut settings = settings(&peer.url());
    settings.max_concurrency = 1;
    let client = Client::new(&settings).unwrap();
    let dropped = tokio::time::timeout(Duration::from_millis(100), client.teams()).await;
    assert!(dropped.is_err());
    assert!(client.teams().await.unwrap().is_empty());
}

#[tokio::test]
async fn one_list_serves_many_readers_until_a_write() {
    let peer = Peer::start([json(200, "[]"), json(201, TEAM), json(200, "[]")]).await;
    let client = client(&peer.url());
    let (one, two) = futures::join!(client.teams(), client.teams());
    assert!(one.is_ok() && two.is_ok() && client.teams().await.is_ok());
    assert_eq!(peer.log().len(), 1);
    client.create_team("a".into()).await.unwrap();
    client.teams().await.unwrap();
    assert_eq!(peer.log().len(), 3);
}

#[test]
fn all_settings_that_cannot_be_used_are_named_at_once() {
    let mut settings = settings("ftp://user@host");
    settings.token = Some(SecretString::new("a\nb"));
    settings.ca_certificate = Some("/nonexistent/ca.pem".into());
    settings.client_certificate = Some("-----BEGIN CERTIFICATE-----\nAAAA".into());
    settings.headers.insert("bad name".into(), SecretString::new("x"));
    settings.headers.insert("Authorization".into(), SecretString::new("x"));
    settings.proxy = Some(SecretString::new("socks5://host"));
    settings.max_concurrency = 0;
    settings.requests_per_second = Some(0.0);
    settings.request_timeout = Duration::ZERO;
    let error = Client::new(&settings).unwrap_err();
    let mut named: Vec<&str> = error.problems.iter().map(|problem| problem.setting).collect();
    named.dedup();
    let expected = [
        "request_timeout",
        "max_concurrency",
        "requests_per_second",
        "url",
        "token",
        "ca_certificate",
        "client_key",
        "headers",
    ];
    assert_eq!(named, expected, "{error}");
}

#[tokio::test]
async fn a_thousand_readers_of_ten_teams_need_ten_requests() {
    let peer = Peer::start([json(200, "[]")]).await;
    let client = client(&peer.url());
    let reads = (0..1000).map(|reader| {
        let client = client.clone();
        tokio::spawn(async move { client.switches(TeamId(reader % 10)).await })
    });
    for read in futures::future::join_all(reads).await {
        read.unwrap().unwrap();
    }
    assert_eq!(peer.log().len(), 10);
}

#[tokio::test]
async fn each_attempt_is_told_by_its_template() {
    let peer = Peer::start([Act::Drop, json(503, ""), json(200, "[]")]).await;
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut settings = settings(&peer.url());
    let writer = std::sync::Arc::clone(&told);
    settings.observer = Some(Observer::new(move |attempt| {
        let told = (attempt.method.to_owned(), attempt.route, attempt.status);
        writer.lock().unwrap().push(told);
    }));
    let request = Request::ListSwitches { team: TeamId(7) };
    Client::new(&settings).unwrap().call(request).await.unwrap();
    let route = "/api/teams/{id}/deadman-switches";
    let get = |status| ("GET".to_owned(), route, status);
    assert_eq!(*told.lock().unwrap(), [get(None), get(Some(503)), get(Some(200))]);
}
