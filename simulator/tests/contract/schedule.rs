//! The schedule.

use serde_json::json;

use crate::peer::{id, standard};

#[test]
fn days_are_taken_listed_replaced_and_given_back() {
    let (simulator, admin) = standard();
    let one = simulator.state().add_user("one", "1@example.org").id;
    let two = simulator.state().add_user("two", "2@example.org").id;
    let days = json!({ "user_id": one, "dates": ["2026-01-02", "2026-01-01"] });
    let made = admin.post("/api/schedule", &days).is(200);
    assert_eq!(made[0]["date"], "2026-01-01");
    let other = json!({ "user_id": two, "dates": ["2026-01-02"] });
    admin.post("/api/schedule", &other).refuses(409, "2026-01-02");
    let mut replacing = other;
    replacing["replace"] = json!(true);
    admin.post("/api/schedule", &replacing).is(200);
    let within = admin.get("/api/schedule?from=2026-01-02&to=2026-01-31").is(200);
    assert_eq!((&within[0]["username"], within[1].is_null()), (&json!("two"), true));
    assert_eq!(admin.delete(&format!("/api/schedule/{}", id(&made[0]))).status, 204);
    assert_eq!(simulator.state().schedule().len(), 1);
}

#[test]
fn days_and_people_are_checked() {
    let (simulator, admin) = standard();
    let user = simulator.state().add_user("one", "1@example.org").id;
    let refused = |user: i64, dates: serde_json::Value, naming: &str| {
        let body = json!({ "user_id": user, "dates": dates });
        admin.post("/api/schedule", &body).refuses(400, naming);
    };
    refused(user, json!(["2026-02-30"]), "2026-02-30");
    refused(user, json!([]), "dates");
    refused(99, json!(["2026-01-01"]), "user 99");
    admin.get("/api/schedule?from=today").refuses(400, "from");
    admin.delete("/api/schedule/99").refuses(404, "schedule entry");
}

#[test]
fn today_has_one_person_or_none() {
    let (simulator, admin) = standard();
    admin.get("/api/schedule/current").refuses(404, "nobody is on call");
    let user = simulator.state().add_user("one", "1@example.org").id;
    simulator.state().put_on_call(user);
    assert_eq!(admin.get("/api/schedule/current").is(200)["username"], "one");
}
