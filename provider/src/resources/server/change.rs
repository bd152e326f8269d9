//! Create, update and delete of `terdut_server`: core's order carried out, and what came of it as
//! state.
//!
//! Once something of ours is on the server the state is returned, whatever failed after it: a
//! tainted server would be destroyed and could not be bootstrapped again.

use terdut_core::credential::{Facts, Machine};
use terdut_core::model::server;
use terdut_core::value::Input;
use terdut_plugin::attr::Attr;
use terdut_plugin::diagnostics::Diagnostics;

use super::model::{ServerModel, facts, held_secret, input, prior, settle};
use super::notes;
use super::record::Record;
use super::work::Work;
use crate::report;

/// What a change left behind.
pub(super) struct Changed {
    /// The state; `None` where there is nothing of ours, or beside an error the prior one stays.
    pub(super) state: Option<ServerModel>,
    pub(super) record: Record,
    pub(super) diagnostics: Diagnostics,
}

impl Changed {
    fn new(state: Option<ServerModel>, record: Record, diagnostics: Diagnostics) -> Self {
        Self { state, record, diagnostics }
    }
}

pub(super) async fn create(
    work: &Work<'_>,
    config: &ServerModel,
    mut planned: ServerModel,
) -> Changed {
    let mut diagnostics = Diagnostics::new();
    let input = input(config);
    let decided = server::plan(&input, None);
    diagnostics.extend(decided.findings.errors.iter().map(report::error));
    if diagnostics.has_errors() {
        return Changed::new(None, Record::default(), diagnostics);
    }
    let order = decided.order(&input);
    let _claimed = work.claim(&order).await;
    let machine = Machine::converge(Facts::default(), order);
    let mut outcome = work.carry_out(machine, &mut diagnostics).await;
    let url = work.server();
    if let Some(failure) = &outcome.failure {
        if !outcome.facts.hold_anything() {
            diagnostics.push(notes::error(url, failure));
            return Changed::new(None, Record::default(), diagnostics);
        }
        diagnostics.push(notes::unfinished(url, failure));
        outcome.facts.unfinished = true;
    }
    name_account(&mut planned, &decided.account_name);
    planned.id = url.to_string().into();
    planned.bootstrapped = config.bootstrap.is_known().into();
    settle(&mut planned, &outcome.facts);
    Changed::new(Some(planned), Record::of(&outcome.facts), diagnostics)
}

pub(super) async fn update(
    work: &Work<'_>,
    config: &ServerModel,
    (state, record): (&ServerModel, &Record),
    mut planned: ServerModel,
) -> Changed {
    let mut diagnostics = Diagnostics::new();
    let input = input(config);
    let decided = server::plan(&input, Some(&prior(state, record)));
    diagnostics.extend(decided.findings.errors.iter().map(report::error));
    if diagnostics.has_errors() {
        return Changed::new(None, record.clone(), diagnostics);
    }
    name_account(&mut planned, &decided.account_name);
    let held = facts(state, record);
    if !decided.calls {
        settle(&mut planned, &held);
        return Changed::new(Some(planned), record.clone(), diagnostics);
    }
    // What only finishes an earlier apply says so; what asks for more is asked for again.
    let begun = held.unfinished && !decided.asks_anew();
    let before = held.current.as_ref().map(|account| account.id);
    let order = decided.order(&input);
    let _claimed = work.claim(&order).await;
    let machine = Machine::converge(held, order);
    let mut outcome = work.carry_out(machine, &mut diagnostics).await;
    let url = work.server();
    let failed = outcome.failure.take();
    match &failed {
        None => {}
        Some(failure) if begun => {
            diagnostics.push(notes::unfinished(url, failure));
            outcome.facts.unfinished = true;
        }
        Some(failure) => diagnostics.push(notes::error(url, failure)),
    }
    // Without a new token or a new account the prior state stays, and with it what asked for the
    // change: the next plan asks again.
    let after = outcome.facts.current.as_ref().map(|account| account.id);
    let renewed = outcome.facts.token() != held_secret(&state.token).as_ref();
    let keeps_prior = failed.is_some() && !begun && !renewed && before == after;
    settle(&mut planned, &outcome.facts);
    let refused = record.refused && failed.is_some() && !renewed;
    let record = Record::of(&outcome.facts).refused_if(refused);
    Changed::new((!keeps_prior).then_some(planned), record, diagnostics)
}

pub(super) async fn delete(work: &Work<'_>, state: &ServerModel, record: &Record) -> Changed {
    let mut diagnostics = Diagnostics::new();
    let admin_keys = [&state.admin_token, &state.bootstrap_token];
    let handed = admin_keys.into_iter().filter_map(held_secret).collect();
    let machine = Machine::release(facts(state, record), handed);
    let outcome = work.carry_out(machine, &mut diagnostics).await;
    let Some(failure) = &outcome.failure else {
        return Changed::new(None, Record::default(), diagnostics);
    };
    diagnostics.push(notes::error(work.server(), failure));
    let mut left = state.clone();
    settle(&mut left, &outcome.facts);
    Changed::new(Some(left), Record::of(&outcome.facts), diagnostics)
}

/// A name that was not known at plan is known now.
fn name_account(planned: &mut ServerModel, name: &Input<String>) {
    if let (Attr::Unknown, Input::Given(name)) = (&planned.service_account_name, name) {
        planned.service_account_name = name.clone().into();
    }
}
