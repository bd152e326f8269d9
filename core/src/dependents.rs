//! What goes with an object when it is deleted, and what still refers to it then.
//!
//! The plan of a delete tells it, as far as it is not deleted by the same plan. Pure: whoever asks
//! brings the lists.

use crate::api::{Account, AccountScope, ApiKey, Integration, Policy, Switch, Target, Team};
use crate::ids::{AccountId, TeamId, UserId};
use crate::lookup::Listed;
use crate::model::Kind;
use crate::problem::{Path, Problem};

/// How many of a kind are named.
const NAMED: usize = 5;

/// One object that would be hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependent {
    /// What it is.
    pub kind: Kind,
    /// By what it is imported: no other of its kind has that.
    pub import_id: String,
    /// What people call it; of an escalation rule, its team.
    pub name: String,
}

/// All that would be hit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dependents {
    /// Objects, a kind after the other.
    pub objects: Vec<Dependent>,
    /// Whether it is a person who is on call.
    pub on_call: bool,
}

/// What the server deletes along with a team.
pub fn of_team(
    team: TeamId,
    switches: &[Switch],
    sources: &[Integration],
    policy: Option<&Policy>,
    accounts: &[Account],
) -> Dependents {
    let rule = policy.filter(|policy| !policy.levels.is_empty()).map(|_| Dependent {
        kind: Kind::EscalationRule,
        import_id: team.to_string(),
        name: String::new(),
    });
    let accounts = accounts.iter().filter(|account| account.scope == AccountScope::Team(team));
    let objects = switches.iter().map(|switch| below(&team.to_string(), switch));
    let objects = objects.chain(sources.iter().map(|source| below(&team.to_string(), source)));
    let objects = objects.chain(rule).chain(accounts.map(on_top));
    Dependents { objects: objects.collect(), on_call: false }
}

/// The keys that end with a service account.
pub fn of_account(account: AccountId, keys: &[ApiKey]) -> Dependents {
    let objects = keys.iter().map(|key| below(&account.to_string(), key)).collect();
    Dependents { objects, on_call: false }
}

/// The escalation rules that name a person.
pub fn of_user<'p>(
    user: UserId,
    policies: impl IntoIterator<Item = (&'p Team, &'p Policy)>,
    on_call: Option<UserId>,
) -> Dependents {
    let naming = policies.into_iter().filter(|(_, policy)| names(policy, user));
    let rule = |(team, _): (&Team, &Policy)| Dependent {
        kind: Kind::EscalationRule,
        import_id: team.id.to_string(),
        name: team.name.clone(),
    };
    Dependents { objects: naming.map(rule).collect(), on_call: on_call == Some(user) }
}

fn names(policy: &Policy, user: UserId) -> bool {
    let is_it = |target: &Target| match target {
        Target::OnCall => false,
        Target::User(named) => *named == user,
        Target::Other { user: named, .. } => *named == Some(user),
    };
    policy.levels.iter().any(|level| level.targets.iter().any(is_it))
}

fn below<T: Listed>(place: &str, one: &T) -> Dependent {
    let import_id = format!("{place}/{}", one.id());
    Dependent { kind: T::KIND, import_id, name: one.name().to_owned() }
}

fn on_top<T: Listed>(one: &T) -> Dependent {
    Dependent { kind: T::KIND, import_id: one.id().to_string(), name: one.name().to_owned() }
}

impl Dependents {
    /// What a person has to know before the object of that kind and name is deleted; nothing, if
    /// nothing is hit. The summary is the same for all of a kind, so that hosts show many as one.
    pub fn warning(&self, kind: Kind, name: &str) -> Option<Problem> {
        if self.objects.is_empty() && !self.on_call {
            return None;
        }
        Some(match kind {
            Kind::User => self.of_a_user(name),
            Kind::ServiceAccount => self.of_an_account(name),
            _ => self.of_a_team(name),
        })
    }

    fn of_a_user(&self, name: &str) -> Problem {
        let rules: Vec<_> = self.objects.iter().map(|rule| quoted(&rule.name)).collect();
        let teams = if rules.len() == 1 { "team" } else { "teams" };
        let rules = (!rules.is_empty())
            .then(|| format!("is a target in the escalation rule of the {teams} {}", some(&rules)));
        let on_call = self.on_call.then(|| "is on call today".to_owned());
        let all: Vec<_> = rules.into_iter().chain(on_call).collect();
        let detail = format!("The user {} {}.", quoted(name), all.join(", and "));
        Problem::new(Path::root(), "The user is still relied on", detail).hint(
            "Once the user is deleted, nobody is paged there in their place: change that first.",
        )
    }

    fn of_an_account(&self, name: &str) -> Problem {
        let keys: Vec<_> = self.objects.iter().map(|key| quoted(&key.name)).collect();
        let detail = format!(
            "Deleting the service account {} ends keys that are not deleted by this plan: {}.",
            quoted(name),
            some(&keys)
        );
        Problem::new(Path::root(), "Keys end with the service account", detail)
            .hint("Whoever uses them is refused from then on.")
    }

    fn of_a_team(&self, name: &str) -> Problem {
        let detail = format!(
            "Deleting the team {} deletes what belongs to it and is not deleted by this plan: {}.",
            quoted(name),
            self.by_kind()
        );
        Problem::new(Path::root(), "More is deleted with the team", detail).hint(
            "Alerts and heartbeats for it are refused from then on. What is still needed has to be \
             made in another team first.",
        )
    }

    fn by_kind(&self) -> String {
        let kinds =
            [Kind::DeadmanSwitch, Kind::AlertSource, Kind::EscalationRule, Kind::ServiceAccount];
        let group = |kind: Kind| {
            let of_kind = self.objects.iter().filter(|object| object.kind == kind);
            let names: Vec<_> = of_kind.map(|object| quoted(&object.name)).collect();
            match (kind, names.as_slice()) {
                (_, []) => None,
                (Kind::EscalationRule, _) => Some("the escalation rule".to_owned()),
                (_, [one]) => Some(format!("the {} {one}", kind.noun())),
                (_, many) => Some(format!("the {} {}", plural(kind), some(many))),
            }
        };
        kinds.into_iter().filter_map(group).collect::<Vec<_>>().join("; ")
    }
}

fn quoted(name: &str) -> String {
    format!("{:?}", name.trim())
}

fn plural(kind: Kind) -> String {
    let noun = kind.noun();
    if noun.ends_with("ch") { format!("{noun}es") } else { format!("{noun}s") }
}

/// The first few, and how many more there are.
fn some(names: &[String]) -> String {
    match names.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMED].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Level;
    use crate::ids::{IntegrationId, KeyId, SwitchId};

    fn team(id: i64, name: &str) -> Team {
        let name = name.to_owned();
        Team { id: TeamId(id), name, oidc_member_group: None, oidc_owner_group: None }
    }

    fn switch(id: i64, name: &str) -> Switch {
        let text = |text: &str| text.to_owned();
        let (matcher, timeout, severity) = (text("a=b"), text("1h"), text("critical"));
        Switch { id: SwitchId(id), name: text(name), matcher, timeout, severity }
    }

    fn policy(targets: Vec<Target>) -> Policy {
        let levels = vec![Level { timeout: "5m".to_owned(), targets }];
        Policy { repeat_count: 0, fallback_topic: None, levels }
    }

    fn account(id: i64, scope: AccountScope) -> Account {
        Account { id: AccountId(id), name: format!("a{id}"), scope, created_at: None }
    }

    fn detail(dependents: &Dependents, kind: Kind) -> String {
        dependents.warning(kind, "it").unwrap().detail
    }

    #[test]
    fn a_team_takes_along_what_is_below_it_and_its_own_accounts() {
        let source = Integration {
            id: IntegrationId(3),
            kind: "alertmanager".to_owned(),
            name: "prod".to_owned(),
        };
        let accounts = [
            account(7, AccountScope::Team(TeamId(1))),
            account(8, AccountScope::Team(TeamId(2))),
            account(9, AccountScope::Instance),
        ];
        let rule = policy(vec![Target::OnCall]);
        let switches = [switch(4, "b"), switch(5, "a")];
        let all = of_team(TeamId(1), &switches, &[source], Some(&rule), &accounts);
        let ids: Vec<_> = all.objects.iter().map(|one| one.import_id.as_str()).collect();
        assert_eq!(ids, ["1/4", "1/5", "1/3", "1", "7"]);
        let told = detail(&all, Kind::Team);
        let listed = "the dead man's switches \"b\", \"a\"; the alert source \"prod\"; the \
                      escalation rule; the service account \"a7\".";
        assert!(told.ends_with(listed), "{told}");
        let none = of_team(TeamId(1), &[], &[], None, &[]);
        assert_eq!(none.warning(Kind::Team, "it"), None);
        let no_policy = Policy { levels: Vec::new(), ..policy(vec![]) };
        let none = of_team(TeamId(1), &[], &[], Some(&no_policy), &[]);
        assert_eq!(none.warning(Kind::Team, "it"), None, "a policy without levels is none");
    }

    #[test]
    fn a_user_is_relied_on_by_rules_and_by_the_schedule() {
        let user = UserId(5);
        let (one, two, three) = (team(1, "A"), team(2, "B"), team(3, "C"));
        let other = Target::Other { kind: "deputy".to_owned(), user: Some(user) };
        let rules = [
            policy(vec![Target::OnCall, Target::User(user)]),
            policy(vec![Target::User(UserId(6))]),
            policy(vec![other]),
        ];
        let all = || [&one, &two, &three].into_iter().zip(&rules);
        let both = of_user(user, all(), Some(user));
        assert_eq!(
            detail(&both, Kind::User),
            "The user \"it\" is a target in the escalation rule of the teams \"A\", \"C\", and is \
             on call today."
        );
        let on_call = of_user(user, [], Some(user));
        assert_eq!(detail(&on_call, Kind::User), "The user \"it\" is on call today.");
        assert_eq!(of_user(user, [], Some(UserId(6))).warning(Kind::User, "it"), None);
        assert_eq!(of_user(UserId(7), all(), None).warning(Kind::User, "it"), None);
    }

    #[test]
    fn many_are_counted_after_a_few_were_named() {
        let key =
            |id: i64| ApiKey { id: KeyId(id), name: format!("k{id}"), key: None, created_at: None };
        let keys: Vec<_> = (1..=7).map(key).collect();
        let told = detail(&of_account(AccountId(1), &keys), Kind::ServiceAccount);
        assert!(told.ends_with("\"k1\", \"k2\", \"k3\", \"k4\", \"k5\" and 2 more."), "{told}");
        assert_eq!(of_account(AccountId(1), &[]).warning(Kind::ServiceAccount, "it"), None);
    }
}
