//! Faults by script.

use std::io::{ErrorKind, Write};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use terdut_simulator::{Action, Fault, FaultBody};

use crate::peer::standard;

const TEAMS: &str = "/api/teams";

#[test]
fn a_drop_before_acting_leaves_no_trace_and_a_drop_after_acting_does() {
    let (simulator, admin) = standard();
    let team = json!({ "name": "a" });
    simulator.fault(Fault::on("POST", TEAMS).drop_before());
    assert!(admin.try_send("POST", TEAMS, &team).is_err());
    assert!(simulator.state().teams().is_empty());
    simulator.fault(Fault::on("POST", TEAMS).drop_after());
    assert!(admin.try_send("POST", TEAMS, &team).is_err());
    assert_eq!(simulator.state().teams().len(), 1);
    admin.post(TEAMS, &team).refuses(409, "a");
    let log = simulator.requests();
    let seen: Vec<_> = log.iter().map(|request| (request.status, request.fault)).collect();
    assert_eq!(seen, [(None, true), (None, true), (Some(409), false)]);
}

#[test]
fn a_reset_is_seen_as_a_reset() {
    let (simulator, admin) = standard();
    simulator.fault(Fault::on("GET", TEAMS).reset());
    let error = admin.try_send("GET", TEAMS, &Json::Null).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    admin.get(TEAMS).is(200);
}

#[test]
fn the_nth_requests_are_answered_by_somebody_in_front() {
    let (simulator, admin) = standard();
    let page = FaultBody::Html("<h1>Bad gateway</h1>".to_owned());
    simulator.fault(Fault::on("GET", TEAMS).nth(2).times(2).answer(502, page));
    let replies: Vec<_> = (0..4).map(|_| admin.get(TEAMS)).collect();
    let statuses: Vec<_> = replies.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses, [200, 502, 502, 200]);
    assert_eq!(replies[1].header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!((simulator.faults()[0].seen, simulator.faults()[0].struck), (4, 2));
}

#[test]
fn bodies_are_json_text_empty_or_broken() {
    let (simulator, admin) = standard();
    simulator.fault(Fault::on("*", "*").error(500, "no"));
    admin.get(TEAMS).refuses(500, "no");
    simulator.fault(Fault::on("*", "*").answer(503, FaultBody::Text("later".to_owned())));
    assert_eq!(admin.get(TEAMS).text, "later");
    simulator.fault(Fault::on("*", "*").answer(401, FaultBody::Empty));
    let empty = admin.get(TEAMS);
    assert_eq!((empty.status, empty.text.as_str()), (401, ""));
    simulator.fault(Fault::on("*", "*").answer(200, FaultBody::CutOff("[{\"id\":".to_owned())));
    assert!(admin.try_send("GET", TEAMS, &Json::Null).is_err());
}

#[test]
fn the_servers_own_answer_can_break_off() {
    let (simulator, admin) = standard();
    simulator.fault(Fault::on("POST", TEAMS).cut_off(10));
    assert!(admin.try_send("POST", TEAMS, &json!({ "name": "a" })).is_err());
    assert_eq!(simulator.state().teams().len(), 1);
}

#[test]
fn an_old_server_has_no_route_for_anybody() {
    let (simulator, admin) = standard();
    simulator.fault(Fault::on("*", "/api/teams/{id}/integrations").no_route());
    for _ in 0..2 {
        let reply = admin.get("/api/teams/7/integrations");
        assert_eq!((reply.status, reply.text.trim()), (404, "404 page not found"));
    }
    simulator.clear_faults();
    admin.get("/api/teams/7/integrations").refuses(404, "team 7");
}

#[test]
fn a_rate_limit_names_seconds_or_a_date() {
    let (simulator, admin) = standard();
    simulator.fault(Fault::on("*", "*").rate_limit(7));
    let limited = admin.get(TEAMS);
    assert_eq!((limited.status, limited.header("retry-after")), (429, Some("7")));
    simulator.fault(Fault::on("*", "*").action(Action::RateLimitUntil { seconds: 60 }));
    let limited = admin.get(TEAMS);
    assert!(limited.header("retry-after").unwrap().ends_with(" GMT"));
}

#[test]
fn further_headers_are_sent() {
    let (simulator, admin) = standard();
    let headers = [("Location".to_owned(), "http://192.0.2.1/".to_owned())].into();
    let action = Action::Answer { status: 302, headers, body: FaultBody::Empty };
    simulator.fault(Fault::on("GET", TEAMS).action(action));
    let reply = admin.get(TEAMS);
    assert_eq!((reply.status, reply.header("location")), (302, Some("http://192.0.2.1/")));
}

#[test]
fn an_answer_can_be_late() {
    let (simulator, admin) = standard();
    let delay = Duration::from_millis(80);
    simulator.fault(Fault::on("POST", TEAMS).delay(delay).after_acting());
    let begun = Instant::now();
    admin.post(TEAMS, &json!({ "name": "a" })).is(201);
    assert!(begun.elapsed() >= delay);
}

#[test]
fn whoever_hangs_up_is_only_served_by_a_server_that_is_deaf() {
    let (simulator, admin) = standard();
    let wait = Duration::from_millis(150);
    simulator.fault(Fault::on("POST", TEAMS).delay(wait).deaf());
    simulator.fault(Fault::on("POST", TEAMS).nth(2).delay(wait));
    for name in ["deaf", "listening"] {
        let text = admin.request_text("POST", TEAMS, &json!({ "name": name }).to_string(), true);
        let mut stream = admin.connect().expect("a connection");
        stream.write_all(text.as_bytes()).expect("it is sent");
        let begun = Instant::now();
        let sent = simulator.count("POST", TEAMS);
        while simulator.count("POST", TEAMS) == sent && begun.elapsed() < wait / 2 {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(stream);
    }
    std::thread::sleep(wait * 3);
    let teams = simulator.state().teams();
    let names: Vec<_> = teams.iter().map(|team| team.team.name.as_str()).collect();
    assert_eq!(names, ["deaf"]);
    let acted: Vec<_> = simulator.faults().iter().map(|rule| rule.acted).collect();
    assert_eq!(acted, [1, 0]);
}

#[test]
fn an_error_can_repeat_the_whole_request() {
    let (simulator, admin) = standard();
    simulator.fault(Fault::on("POST", TEAMS).answer(400, FaultBody::Echo));
    let reply = admin.post("/api/teams?x=1", &json!({ "name": "canary" }));
    let key = simulator.state().keys()[0].text.clone();
    for part in ["canary", "/api/teams?x=1", &format!("authorization: Bearer {key}")] {
        reply.refuses(400, part);
    }
    assert!(simulator.state().teams().is_empty());
}

#[test]
fn a_slow_request_does_not_hold_up_others() {
    let (simulator, admin) = standard();
    simulator.fault(Fault::on("GET", TEAMS).delay(Duration::from_secs(5)));
    let slow = admin.clone();
    std::thread::spawn(move || slow.try_send("GET", TEAMS, &Json::Null));
    while simulator.count("GET", TEAMS) == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let begun = Instant::now();
    admin.get("/api/users").is(200);
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[test]
fn the_log_shows_template_path_key_and_body() {
    let (simulator, admin) = standard();
    admin.put("/api/teams/7?x=1", &json!({ "name": "n" })).refuses(404, "team 7");
    let logged = simulator.requests().remove(0);
    assert_eq!((logged.method.as_str(), logged.route.as_str()), ("PUT", "/api/teams/{id}"));
    assert_eq!((logged.path.as_str(), logged.status), ("/api/teams/7?x=1", Some(404)));
    assert_eq!(logged.key_id, Some(simulator.state().keys()[0].id));
    assert_eq!(logged.json()["name"], "n");
    assert!(logged.writes());
    simulator.clear_requests();
    admin.get(TEAMS);
    assert_eq!(simulator.requests()[0].number, 2);
    assert_eq!(simulator.count("GET", TEAMS), 1);
}

#[test]
fn who_leaves_answers_once_more_and_refuses_until_told_to_come_back() {
    let (simulator, admin) = standard();
    simulator.fault(Fault::on("POST", TEAMS).action(Action::Leave));
    admin.post(TEAMS, &json!({ "name": "a" })).is(201);
    let error = admin.try_send("GET", TEAMS, &Json::Null).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    simulator.come_back();
    assert_eq!(admin.get(TEAMS).json().as_array().map(Vec::len), Some(1));
}

#[test]
fn who_leaves_answers_nothing_that_comes_later_while_the_last_answer_takes_long() {
    let (simulator, admin) = standard();
    let slow = Fault::on("POST", TEAMS).delay(Duration::from_secs(2)).action(Action::Leave);
    simulator.fault(slow);
    std::thread::scope(|scope| {
        let last = scope.spawn(|| admin.post(TEAMS, &json!({ "name": "a" })).is(201));
        while simulator.count("POST", TEAMS) == 0 {
            std::thread::yield_now();
        }
        admin.try_send("GET", TEAMS, &Json::Null).unwrap_err();
        assert!(!last.is_finished(), "it was asked while the last answer was on its way");
    });
    simulator.come_back();
    assert_eq!(admin.get(TEAMS).json().as_array().map(Vec::len), Some(1));
}

#[test]
fn more_requests_than_are_allowed_in_a_second_are_too_many() {
    let (simulator, admin) = standard();
    simulator.assume(|it| it.requests_per_second = Some(2));
    let replies: Vec<_> = (0..3).map(|_| admin.get(TEAMS)).collect();
    let statuses: Vec<_> = replies.iter().map(|reply| reply.status).collect();
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(replies[2].header("retry-after"), Some("1"));
    let log = simulator.requests();
    assert!(log.windows(2).all(|two| two[0].at_ms <= two[1].at_ms), "times do not go back");
}
