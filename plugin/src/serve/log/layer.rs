//! Turns events, with the fields of the spans around them, into lines.
//!
//! Installed by `start`. Decides nothing about wording: that is `line`'s.

use std::fmt;
use std::time::SystemTime;

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::fields::Fields;
use super::level::Threshold;
use super::line;
use super::mask::Mask;

/// Gives lines to `write`.
pub(super) struct HostLayer<W> {
    threshold: Threshold,
    mask: Mask,
    write: W,
}

impl<W: Fn(&str)> HostLayer<W> {
    pub(super) fn new(threshold: Threshold, mask: Mask, write: W) -> Self {
        Self { threshold, mask, write }
    }
}

impl<W> fmt::Debug for HostLayer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostLayer").field("threshold", &self.threshold).finish_non_exhaustive()
    }
}

impl<S, W> Layer<S> for HostLayer<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Fn(&str) + 'static,
{
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.threshold.passes(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _context: Context<'_, S>) -> bool {
        self.threshold.passes(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.threshold.most())
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let mut fields = Fields::default();
            attributes.record(&mut fields);
            span.extensions_mut().insert(fields);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(fields) = span.extensions_mut().get_mut::<Fields>()
        {
            values.record(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(around) = span.extensions().get::<Fields>() {
                for (name, value) in &around.0 {
                    fields.0.entry(name).or_insert_with(|| value.clone());
                }
            }
        }
        event.record(&mut fields);
        let line = line::format(event.metadata(), fields.0, SystemTime::now(), &self.mask);
        (self.write)(&line);
    }
}

#[cfg(test)]
mod tests;
