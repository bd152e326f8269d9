//! Waiting for a condition with a deadline, instead of sleeping.

use std::future::Future;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(20);

/// Asks again and again until the condition holds.
///
/// # Panics
/// With the description, if it does not hold before the deadline.
pub async fn wait_for<F>(what: &str, limit: Duration, mut holds: impl FnMut() -> F)
where
    F: Future<Output = bool>,
{
    wait_for_value(what, limit, || {
        let holds = holds();
        async move { holds.await.then_some(()) }
    })
    .await;
}

/// Asks again and again until there is a value.
///
/// # Panics
/// With the description, if there is none before the deadline.
pub async fn wait_for_value<T, F>(what: &str, limit: Duration, mut ask: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    let deadline = Instant::now() + limit;
    loop {
        if let Some(value) = ask().await {
            return value;
        }
        assert!(Instant::now() < deadline, "{what}: not within {limit:?}");
        tokio::time::sleep(PAUSE).await;
    }
}
