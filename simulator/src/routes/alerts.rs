//! Reading alerts and incidents, the newest first. It must never change them.

use serde::Serialize;

use crate::call::{Answer, Call, Outcome, Refusal};
use crate::store::Store;

const STANDARD_LIMIT: usize = 100;

fn limit(call: &Call<'_>) -> Result<usize, Refusal> {
    let Some(text) = call.query.get("limit") else { return Ok(STANDARD_LIMIT) };
    let limit = text.parse().ok().filter(|limit| (1..=1000).contains(limit));
    limit.ok_or_else(|| Refusal::invalid(format!("limit {text:?} is not between 1 and 1000")))
}

fn newest<'a, T: Serialize + 'a>(
    rows: impl DoubleEndedIterator<Item = &'a T>,
    status: fn(&T) -> &str,
    call: &Call<'_>,
) -> Outcome {
    let wanted = call.query.get("status").filter(|status| !status.is_empty());
    let fits = |row: &&T| wanted.is_none_or(|wanted| status(row) == wanted);
    Ok(Answer::list(rows.rev().filter(fits).take(limit(call)?)))
}

/// `GET /api/alerts`.
pub(super) fn list_alerts(store: &mut Store, call: &Call<'_>) -> Outcome {
    newest(store.tables.alerts.values(), |alert| &alert.status, call)
}

/// `GET /api/incidents`.
pub(super) fn list_incidents(store: &mut Store, call: &Call<'_>) -> Outcome {
    newest(store.tables.incidents.values(), |incident| &incident.status, call)
}
