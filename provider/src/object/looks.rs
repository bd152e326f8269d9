//! The few reads that a plan of deletes may make.
//!
//! Only for hints: whoever asks does without an answer. What a whole run asks is bounded, each
//! question is asked once, and a server that does not answer is not asked again. The table lives as
//! long as one configuring of the provider.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use terdut_client::Caller;
use terdut_core::api::{Policy, Reply, Request, Team};
use terdut_core::error::Class;
use tokio::sync::OnceCell;

/// How many questions a run may ask, however many objects it deletes.
const MOST: usize = 20;
/// How long a plan waits for an answer.
const PATIENCE: Duration = Duration::from_secs(3);

type Answer = Arc<OnceCell<Option<Reply>>>;

/// What was asked so far.
#[derive(Debug, Default)]
pub struct Looks {
    asked: Mutex<BTreeMap<String, Answer>>,
    silent: AtomicBool,
}

/// A look at the server with somebody's key.
#[derive(Debug)]
pub struct Look<'a> {
    looks: &'a Looks,
    caller: &'a Caller,
}

impl Looks {
    pub(super) fn with<'a>(&'a self, caller: &'a Caller) -> Look<'a> {
        Look { looks: self, caller }
    }

    /// The places of answers that serve only together: all, or none where that would be too many.
    fn places(&self, requests: &[Request]) -> Option<Vec<Answer>> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let keys: Vec<_> = requests.iter().map(|request| format!("{request:?}")).collect();
        let new = keys.iter().filter(|key| !asked.contains_key(*key)).count();
        if asked.len() + new > MOST {
            return None;
        }
        Some(keys.into_iter().map(|key| Arc::clone(asked.entry(key).or_default())).collect())
    }
}

impl Look<'_> {
    /// The answer; none where the server gives none, or enough was asked.
    pub async fn at(&self, request: Request) -> Option<Reply> {
        let place = self.looks.places(std::slice::from_ref(&request))?.pop()?;
        self.answer(place, request).await
    }

    async fn answer(&self, place: Answer, request: Request) -> Option<Reply> {
        place.get_or_init(|| self.ask(request)).await.clone()
    }

    async fn ask(&self, request: Request) -> Option<Reply> {
        if self.looks.silent.load(Ordering::Relaxed) {
            return None;
        }
        match tokio::time::timeout(PATIENCE, self.caller.call(request)).await {
            Ok(Ok(reply)) => return Some(reply),
            Ok(Err(error)) if !matches!(error.class, Class::Unreachable | Class::Retryable) => {}
            Ok(Err(_)) | Err(_) => self.looks.silent.store(true, Ordering::Relaxed),
        }
        None
    }

    /// Every team with its policy, or none: some of them would look like all.
    pub async fn policies(&self) -> Option<Vec<(Team, Policy)>> {
        let Reply::Teams(teams) = self.at(Request::ListTeams).await? else { return None };
        let ask = |team: &Team| Request::GetPolicy { team: team.id };
        let requests: Vec<_> = teams.iter().map(ask).collect();
        // What is left of the run's questions is not spent on an answer that will not be whole.
        let places = self.looks.places(&requests)?;
        let asked = places.into_iter().zip(requests);
        let asked = asked.map(|(place, request)| self.answer(place, request));
        let answers = futures::future::join_all(asked).await;
        let mut policies = Vec::new();
        for (team, answer) in teams.iter().zip(answers) {
            if let Reply::Policy(Some(policy)) = answer? {
                policies.push((team.clone(), policy));
            }
        }
        Some(policies)
    }
}

#[cfg(test)]
mod tests {
    use terdut_core::ids::TeamId;

    use super::*;

    #[test]
    fn questions_that_serve_only_together_are_asked_together_or_not_at_all() {
        let policies = |teams: std::ops::Range<i64>| -> Vec<_> {
            teams.map(|team| Request::GetPolicy { team: TeamId(team) }).collect()
        };
        let looks = Looks::default();
        assert!(looks.places(&[Request::OnCall, Request::ListTeams]).is_some());
        assert!(looks.places(&policies(0..19)).is_none(), "one too many");
        assert!(looks.places(&policies(0..18)).is_some(), "nothing was spent on it");
        assert!(looks.places(&policies(0..18)).is_some(), "they are asked already");
        assert!(looks.places(&policies(17..19)).is_none() && looks.places(&[]).is_some());
    }
}
