//! Who is on call on which day. It must never hold two people for one day.

use std::collections::BTreeSet;

use http::StatusCode;
use serde::Deserialize;

use crate::call::{Answer, Call, Outcome, Refusal};
use crate::clock::is_date;
use crate::store::{ScheduleEntry, Store};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DaysBody {
    user_id: i64,
    dates: BTreeSet<String>,
    replace: bool,
}

fn day<'a>(call: &'a Call<'_>, name: &str) -> Result<Option<&'a String>, Refusal> {
    let day = call.query.get(name);
    match day.filter(|day| !is_date(day)) {
        Some(bad) => Err(Refusal::invalid(format!("{name} {bad:?} is not a date"))),
        None => Ok(day),
    }
}

/// `GET /api/schedule`.
pub(super) fn list(store: &mut Store, call: &Call<'_>) -> Outcome {
    let (from, to) = (day(call, "from")?, day(call, "to")?);
    let within = |entry: &&ScheduleEntry| {
        from.is_none_or(|from| entry.date >= *from) && to.is_none_or(|to| entry.date <= *to)
    };
    Ok(Answer::list(store.tables.schedule.values().filter(within)))
}

/// `GET /api/schedule/current`.
pub(super) fn current(store: &mut Store, _: &Call<'_>) -> Outcome {
    let today = store.clock.today();
    let nobody = || Refusal::new(StatusCode::NOT_FOUND, "nobody is on call");
    store.tables.schedule.get(&today).map(Answer::ok).ok_or_else(nobody)
}

/// `POST /api/schedule`.
pub(super) fn create(store: &mut Store, call: &Call<'_>) -> Outcome {
    let body: DaysBody = call.read()?;
    let missing = || Refusal::invalid(format!("user {} does not exist", body.user_id));
    let username = store.tables.users.get(body.user_id).ok_or_else(missing)?.user.username.clone();
    if body.dates.is_empty() {
        return Err(Refusal::invalid("dates is required"));
    }
    if let Some(bad) = body.dates.iter().find(|date| !is_date(date)) {
        return Err(Refusal::invalid(format!("date {bad:?} is not a date")));
    }
    let taken = body.dates.iter().find(|date| store.tables.schedule.contains_key(*date));
    if let Some(taken) = taken.filter(|_| !body.replace) {
        return Err(Refusal::taken("date", taken));
    }
    Ok(Answer::list(body.dates.into_iter().map(|d| put_day(store, body.user_id, &username, d))))
}

fn put_day(store: &mut Store, user_id: i64, username: &str, date: String) -> ScheduleEntry {
    let (id, created_at, username) = (store.next_id(), store.now(), username.to_owned());
    let entry = ScheduleEntry { id, user_id, username, date: date.clone(), created_at };
    store.tables.schedule.insert(date, entry.clone());
    entry
}

/// `DELETE /api/schedule/{id}`.
pub(super) fn delete(store: &mut Store, call: &Call<'_>) -> Outcome {
    let id = call.id(0)?;
    let days = &mut store.tables.schedule;
    let found = days.values().find(|entry| entry.id == id).map(|entry| entry.date.clone());
    days.remove(&found.ok_or_else(|| Refusal::not_found("schedule entry", id))?);
    Ok(Answer::no_content())
}
