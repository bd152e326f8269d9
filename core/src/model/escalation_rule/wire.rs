//! The policy as the API takes it: with ids where the user wrote names.

use super::{EscalationRule, Target};
use crate::api;
use crate::near;
use crate::problem::{Path, Problem};

impl EscalationRule {
    /// The policy to put, or a problem for each target whose user is in no list.
    pub fn resolve(&self, users: &[api::User]) -> Result<api::Policy, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut levels = Vec::new();
        for (position, level) in self.levels.iter().enumerate() {
            let path = Path::of("levels").index(position).field("targets");
            let targets = resolve_targets(&path, &level.targets, users, &mut problems);
            levels.push(api::Level { timeout: level.timeout.to_string(), targets });
        }
        let fallback_topic = Some(self.fallback_topic.clone()).filter(|topic| !topic.is_empty());
        let policy = api::Policy { repeat_count: self.repeat_count, fallback_topic, levels };
        if problems.is_empty() { Ok(policy) } else { Err(problems) }
    }

    /// Whether a user list is needed to put it.
    pub fn names_users(&self) -> bool {
        let named = |target: &Target| matches!(target, Target::User(_));
        self.levels.iter().any(|level| level.targets.iter().any(named))
    }
}

fn resolve_targets(
    path: &Path,
    targets: &[Target],
    users: &[api::User],
    problems: &mut Vec<Problem>,
) -> Vec<api::Target> {
    let mut resolved = Vec::new();
    for (position, target) in targets.iter().enumerate() {
        match target {
            Target::OnCall => resolved.push(api::Target::OnCall),
            Target::User(name) => match users.iter().find(|user| name.is(&user.username)) {
                Some(user) => resolved.push(api::Target::User(user.id)),
                None => problems.push(unknown_user(path, position, name.as_str(), users)),
            },
        }
    }
    resolved
}

fn unknown_user(path: &Path, position: usize, name: &str, users: &[api::User]) -> Problem {
    let at = path.index(position).field("username");
    let detail = format!("{at}: terdut has no user named {name:?}.");
    let near = near::did_you_mean(name, users.iter().map(|user| user.username.as_str()));
    let what_to_do = "Correct the name, or make the user first: with a terdut_user resource, refer \
                      to its username so that it is made before the policy.";
    let hint = near.into_iter().chain([what_to_do.to_owned()]).collect::<Vec<_>>().join(" ");
    Problem::new(at, "Unknown user", detail).hint(hint)
}
