//! Listening, connections and the router. [`crate::Simulator`] runs it on its own thread; it must
//! never know what a route does.

pub(crate) mod accept;
mod finish;
mod pipeline;
mod socket;

use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::routing::{MethodFilter, on};
use http::Method;

use crate::routes::{NO_METHOD, ROUTES, Route};
use crate::shared::Shared;

/// The router of the whole table.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    ROUTES
        .iter()
        .fold(Router::new(), add)
        .fallback(|state: State<Arc<Shared>>, request: Request| {
            pipeline::serve(state.0, None, Vec::new(), request)
        })
        .method_not_allowed_fallback(|state: State<Arc<Shared>>, request: Request| {
            pipeline::serve(state.0, Some(&NO_METHOD), Vec::new(), request)
        })
        .with_state(shared)
}

fn add(router: Router<Arc<Shared>>, route: &'static Route) -> Router<Arc<Shared>> {
    let handler = move |state: State<Arc<Shared>>, places: RawPathParams, request: Request| {
        let places = places.iter().map(|(_, value)| value.to_owned()).collect();
        pipeline::serve(state.0, Some(route), places, request)
    };
    router.route(route.template, on(filter(route.method), handler))
}

fn filter(method: &str) -> MethodFilter {
    let method = Method::from_bytes(method.as_bytes()).unwrap_or_default();
    MethodFilter::try_from(method).unwrap_or(MethodFilter::GET)
}
