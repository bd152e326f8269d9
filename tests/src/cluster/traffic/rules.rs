//! The rules of a [`super::Traffic`]: which stand, which strike once.

use std::fmt;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::oneshot;

use super::{Entry, Filter};

/// When a hook strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before the request is passed on: the upstream never sees it unless it goes on.
    Before,
    /// After the upstream acted, before its answer is passed back.
    After,
}

/// What a hook wants.
#[derive(Debug)]
pub enum Then {
    /// As if there were no hook.
    Continue,
    /// The connection is closed without an answer.
    Drop,
    /// The process that sent it is killed (`kill -9`) and the connection closed.
    Kill,
    /// This is the answer.
    Answer(u16, Json),
    /// It waits until told: `true` lets it go on, anything else drops it.
    Hold(oneshot::Receiver<bool>),
}

pub(super) type HookFunction = Box<dyn FnOnce(&Entry) -> Then + Send>;

/// A disturbance that lasts.
#[derive(Debug, Clone)]
pub(super) enum Standing {
    CutOff,
    Stalled,
    Delayed(Duration),
    Answered(u16, Json),
}

struct Hook {
    filter: Filter,
    /// How many requests that fit are still to pass by.
    left: usize,
    moment: Moment,
    then: Option<HookFunction>,
}

/// All rules.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) standing: Vec<(Filter, Standing)>,
    hooks: Vec<Hook>,
}

impl fmt::Debug for Hook {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { filter, left, moment, then: _ } = self;
        write!(formatter, "{left} more of {filter:?}, {moment:?}")
    }
}

impl Rules {
    pub(super) fn add_hook(
        &mut self,
        filter: Filter,
        nth: usize,
        moment: Moment,
        then: HookFunction,
    ) {
        self.hooks.push(Hook { filter, left: nth.max(1), moment, then: Some(then) });
    }

    pub(super) fn forget_hooks(&mut self) {
        self.hooks.clear();
    }

    /// The last standing rule that fits.
    pub(super) fn standing_for(&self, entry: &Entry) -> Option<&Standing> {
        self.standing.iter().rev().find_map(|(filter, rule)| filter.fits(entry).then_some(rule))
    }

    /// Counts a request at a moment; the function of the hook whose turn it is.
    pub(super) fn strike(&mut self, entry: &Entry, moment: Moment) -> Option<HookFunction> {
        let mut due = None;
        let fitting = |hook: &&mut Hook| hook.moment == moment && hook.filter.fits(entry);
        for hook in self.hooks.iter_mut().filter(fitting) {
            hook.left = hook.left.saturating_sub(1);
            if hook.left == 0 && due.is_none() {
                due = hook.then.take();
            }
        }
        self.hooks.retain(|hook| hook.then.is_some());
        due
    }
}
