//! What the plan of this run is going to do, as far as it has been asked for.
//!
//! The warning about a delete leaves out what the same plan deletes or changes. A host plans what
//! depends on an object before the object itself where it destroys everything, but in any order
//! where blocks were taken out of a configuration: then what is yet to come is waited for a moment.
//! The table lives as long as one configuring of the provider.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use terdut_core::dependents::{Dependent, Dependents};
use terdut_core::model::Kind;
use tokio::sync::Notify;

/// How long other parts of the plan are waited for, and only by what would warn.
const MOMENT: Duration = Duration::from_millis(250);

/// The object that is deleted, as far as it matters to who refers to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject<'a> {
    pub(super) kind: Kind,
    pub(super) name: &'a str,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Outlook {
    table: Mutex<Table>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Table {
    /// The identities of what is deleted.
    ending: BTreeSet<String>,
    /// The names in each team's rule after the apply.
    rules: BTreeMap<String, BTreeSet<String>>,
}

impl Outlook {
    /// An object is going to be deleted.
    pub(super) fn ends(&self, identity: String) {
        self.lock().ending.insert(identity);
        self.changed.notify_waiters();
    }

    /// A team's rule is going to name these people and no others.
    pub fn rule(&self, team: &str, people: BTreeSet<String>) {
        self.lock().rules.insert(team.to_owned(), people);
        self.changed.notify_waiters();
    }

    /// What of it stays although the subject goes.
    pub(super) async fn left(&self, mut found: Dependents, subject: Subject<'_>) -> Dependents {
        let settled = async {
            loop {
                let changed = self.changed.notified();
                self.sift(&mut found, subject);
                if found.objects.is_empty() {
                    return;
                }
                changed.await;
            }
        };
        // Whoever has not come by then is told of.
        let _ = tokio::time::timeout(MOMENT, settled).await;
        found
    }

    fn sift(&self, found: &mut Dependents, subject: Subject<'_>) {
        let table = self.lock();
        found.objects.retain(|dependent| !table.settles(dependent, subject));
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn settles(&self, dependent: &Dependent, subject: Subject<'_>) -> bool {
        let Dependent { kind, import_id, .. } = dependent;
        let ends =
            |kind: Kind| self.ending.contains(&format!("{} {import_id}", kind.resource_type()));
        let is_rule_of_others = *kind == Kind::EscalationRule && subject.kind == Kind::User;
        let forgets = || {
            let people = self.rules.get(import_id);
            people.is_some_and(|people| !people.contains(subject.name.trim()))
        };
        ends(*kind) || (is_rule_of_others && (ends(Kind::Team) || forgets()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: Subject<'static> = Subject { kind: Kind::User, name: "ada" };
    const TEAM: Subject<'static> = Subject { kind: Kind::Team, name: "A" };

    fn dependent(kind: Kind, import_id: &str) -> Dependent {
        Dependent { kind, import_id: import_id.to_owned(), name: "x".to_owned() }
    }

    fn dependents(kind: Kind, import_ids: &[&str]) -> Dependents {
        let objects = import_ids.iter().map(|id| dependent(kind, id)).collect();
        Dependents { objects, on_call: false }
    }

    #[tokio::test(start_paused = true)]
    async fn what_the_plan_deletes_too_is_left_out_also_when_it_comes_a_moment_later() {
        let outlook = Outlook::default();
        outlook.ends("terdut_deadman_switch 1/2".to_owned());
        let found = dependents(Kind::DeadmanSwitch, &["1/2", "1/3", "1/4"]);
        let later = async {
            tokio::time::sleep(MOMENT / 2).await;
            outlook.ends("terdut_deadman_switch 1/3".to_owned());
        };
        let (left, ()) = tokio::join!(outlook.left(found, TEAM), later);
        assert_eq!(left, dependents(Kind::DeadmanSwitch, &["1/4"]));
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_who_has_nothing_to_tell() {
        let outlook = Outlook::default();
        outlook.ends("terdut_alert_source 1/2".to_owned());
        let before = tokio::time::Instant::now();
        let left = outlook.left(dependents(Kind::AlertSource, &["1/2"]), TEAM).await;
        assert_eq!((left, before.elapsed()), (Dependents::default(), Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_rule_that_will_not_name_the_user_or_goes_with_its_team_is_left_out() {
        let outlook = Outlook::default();
        outlook.rule("1", BTreeSet::from(["bob".to_owned()]));
        outlook.rule("2", BTreeSet::from(["ada".to_owned()]));
        outlook.ends("terdut_team 3".to_owned());
        outlook.ends("terdut_escalation_rule 4".to_owned());
        let found = dependents(Kind::EscalationRule, &["1", "2", "3", "4", "5"]);
        let left = outlook.left(found, ADA).await;
        assert_eq!(left, dependents(Kind::EscalationRule, &["2", "5"]));
        let own = outlook.left(dependents(Kind::EscalationRule, &["3"]), TEAM).await;
        assert_eq!(own.objects.len(), 1, "a team's own rule goes because of the team");
    }
}
