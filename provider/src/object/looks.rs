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

    /// The place of an answer, unless enough was asked.
    fn place(&self, request: &Request) -> Option<Answer> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let key = format!("{request:?}");
        if !asked.contains_key(&key) && asked.len() >= MOST {
            return None;
        }
        Some(Arc::clone(asked.entry(key).or_default()))
    }
}

impl Look<'_> {
    /// The answer; none where the server gives none, or enough was asked.
    pub async fn at(&self, request: Request) -> Option<Reply> {
        let place = self.looks.place(&request)?;
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
        if teams.len() >= MOST {
            return None;
        }
        let asked = teams.iter().map(|team| self.at(Request::GetPolicy { team: team.id }));
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
