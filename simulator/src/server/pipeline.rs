//! What happens to every request: the log, the script, the key, its scope, the route. The router
//! calls it for each route; it must never act twice on one request.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Query;
use http::request::Parts;
use http::{Request, Response};
use serde_json::json;

use super::finish::{self, Raw};
use crate::access::{self, Access, Caller};
use crate::call::{Answer, Call, Outcome};
use crate::fault::{Action, Fault, FaultBody};
use crate::log::Logged;
use crate::routes::{self, Route};
use crate::shared::{Shared, World, lock};

const LARGEST_BODY: usize = 16 << 20;

/// A mark on a response that is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The connection is closed.
    Close,
    /// The connection is reset.
    Reset,
}

/// One request on its way.
struct Received {
    route: Option<&'static Route>,
    places: Vec<String>,
    parts: Parts,
    body: Bytes,
}

/// Serves one request of a route of the table, or of none.
pub(super) async fn serve(
    shared: Arc<Shared>,
    route: Option<&'static Route>,
    places: Vec<String>,
    request: Request<Body>,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_BODY).await else {
        return finish::scripted(&Action::Drop, None);
    };
    let request = Received { route, places, parts, body };
    let template = route.map_or("", |route| route.template);
    let (method, path) = (request.parts.method.as_str(), request.parts.uri.path());
    let (is_gone, fault) = {
        let mut faults = lock(&shared.faults);
        (faults.is_gone(), faults.strike(method, template, path))
    };
    let number = note(&shared, &request, template, fault.is_some());
    let is_deaf = fault.as_ref().is_some_and(|(_, fault)| fault.deaf);
    let answering = answer(Arc::clone(&shared), request, fault);
    let response = match (is_gone, is_deaf) {
        // Who left answers nobody, not even on a connection that is still open.
        (true, _) => finish::scripted(&Action::Drop, None),
        (false, true) => to_the_end(answering).await,
        (false, false) => answering.await,
    };
    if response.extensions().get::<NoAnswer>().is_none() {
        lock(&shared.log).answered(number, response.status().as_u16());
    }
    response
}

fn note(shared: &Shared, request: &Received, template: &str, fault: bool) -> u64 {
    let key_id = access::key_id(&shared.world().store, &request.parts.headers);
    let logged = Logged {
        number: 0,
        at_ms: u64::try_from(shared.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        method: request.parts.method.to_string(),
        route: template.to_owned(),
        path: request.parts.uri.to_string(),
        status: None,
        key_id,
        body: String::from_utf8_lossy(&request.body).into_owned(),
        fault,
    };
    lock(&shared.log).begin(logged)
}

/// A connection that ends takes what it waits for with it, but not this.
async fn to_the_end(
    answering: impl Future<Output = Response<Body>> + Send + 'static,
) -> Response<Body> {
    let ended = tokio::spawn(answering).await;
    ended.unwrap_or_else(|_| finish::scripted(&Action::Drop, None))
}

async fn answer(
    shared: Arc<Shared>,
    request: Received,
    fault: Option<(usize, Fault)>,
) -> Response<Body> {
    tokio::time::sleep(shared.latency).await;
    if !shared.listening.load(Ordering::Acquire) {
        return finish::scripted(&Action::Drop, None);
    }
    let limit = shared.world().assumptions.requests_per_second;
    if shared.is_too_many(limit) {
        return finish::scripted(&Action::RateLimit { seconds: 1 }, None);
    }
    let Some((place, fault)) = fault else { return act(&shared, &request).send() };
    let delay = Duration::from_millis(fault.delay_ms);
    let (early, late) = if fault.acted { (Duration::ZERO, delay) } else { (delay, Duration::ZERO) };
    tokio::time::sleep(early).await;
    let own = fault.acts().then(|| act(&shared, &request));
    if own.is_some() {
        lock(&shared.faults).acted(place);
    }
    tokio::time::sleep(late).await;
    match fault.action {
        Action::Restart { downtime_ms } => drop(shared.restart(Duration::from_millis(downtime_ms))),
        Action::Leave => shared.leave().await,
        _ => {}
    }
    finish::scripted(&echoed(fault.action, &request), own)
}

/// The action with the request in its body, where it repeats it.
fn echoed(action: Action, request: &Received) -> Action {
    match action {
        Action::Answer { status, headers, body: FaultBody::Echo } => {
            let error = told(request);
            Action::Answer { status, headers, body: FaultBody::Json(json!({ "error": error })) }
        }
        action => action,
    }
}

/// The request in one line, what authorises it first.
fn told(request: &Received) -> String {
    let headers = request.parts.headers.iter();
    let mut headers: Vec<_> = headers
        .map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value.as_bytes())))
        .collect();
    headers.sort_by_key(|header| (!header.contains("authorization: "), header.clone()));
    let body = String::from_utf8_lossy(&request.body);
    format!("{body} {} {}", request.parts.uri, headers.join(" "))
}

/// The server's own answer.
fn act(shared: &Shared, request: &Received) -> Raw {
    let mut world = shared.world();
    let world = &mut *world;
    let answer = match request.route.filter(|route| routes::exists(route, &world.assumptions)) {
        None => Answer::no_route(),
        Some(route) => {
            let base = &shared.base;
            let answer = run(world, route, request, base).unwrap_or_else(Answer::from);
            if route.method != "GET" && answer.status.is_success() {
                shared.save(world);
            }
            answer
        }
    };
    finish::raw(answer, &request.parts.uri, &shared.base, &world.assumptions)
}

fn run(world: &mut World, route: &Route, request: &Received, base: &str) -> Outcome {
    let World { store, assumptions } = world;
    let mut caller = Caller::Nobody;
    if route.access != Access::Open {
        let found = access::identify(store, &request.parts.headers);
        caller = found.ok_or_else(access::unauthorized)?;
        let target = request.places.first().and_then(|place| place.parse().ok());
        access::check(route.access, caller, target, store, assumptions)?;
    }
    let query = Query::<HashMap<String, String>>::try_from_uri(&request.parts.uri);
    let call = Call {
        caller,
        places: request.places.clone(),
        query: query.map(|query| query.0).unwrap_or_default(),
        body: &request.body,
        assumptions,
        base,
    };
    (route.act)(store, &call)
}
