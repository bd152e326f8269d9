//! Panics in an author's code end here, as a diagnostic.
//!
//! The panic's own text stays in the log, where secrets are masked: a diagnostic is not.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt;

use crate::diagnostics::Diagnostic;

/// The future's output, or that it panicked.
pub(super) async fn guarded<T>(
    doing: &str,
    future: impl Future<Output = T>,
) -> Result<T, Diagnostic> {
    AssertUnwindSafe(future).catch_unwind().await.map_err(|_| panicked(doing))
}

/// The function's result, or that it panicked.
pub(super) fn guarded_now<T>(doing: &str, work: impl FnOnce() -> T) -> Result<T, Diagnostic> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| panicked(doing))
}

fn panicked(doing: &str) -> Diagnostic {
    Diagnostic::error(
        "The provider has a bug",
        format!(
            "It panicked while {doing}, and what it was doing may be done in part. Its log says \
             where it happened (TF_LOG=ERROR): please report that. Look at the next plan before \
             you apply again."
        ),
    )
}
