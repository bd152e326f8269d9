//! The machine: one state a request that is under way.

mod ended;
mod told;

use std::collections::{BTreeSet, VecDeque};

use super::{ATTEMPTS, Command, Creatable, Event, Failure, Tidy};
use crate::api::{Reply, Request};
use crate::error::{ApiError, Class, Effect};
use crate::presence::is_own_404;
use crate::problem::Problem;

/// How a create ended.
#[derive(Debug)]
pub enum Outcome<K: Creatable> {
    /// It was made.
    Made {
        /// What was made.
        made: K::Made,
        /// The ids of those that had the name before, where many may.
        beside: BTreeSet<i64>,
        /// What could not be tidied up.
        warnings: Vec<Problem>,
    },
    /// One of that name was there before, and may be taken over: plan with
    /// [`crate::plan::Ownership::Found`].
    Found(K::Fact),
    /// Nothing was made, or nobody can say.
    Failed(Failure),
}

/// A create under way.
#[derive(Debug)]
pub struct Create<K: Creatable> {
    new: K,
    adopt: bool,
    state: State<K::Made>,
    /// The ids of that name before we asked; `None` where they cannot be listed.
    before: Option<BTreeSet<i64>>,
    intent: Intent,
    posts: u32,
    /// The last error of a request that may have acted.
    lost: Option<ApiError>,
    /// How many of those may still act: the server itself has not answered them, and what they make
    /// was not seen.
    late: u32,
    warnings: Vec<Problem>,
}

/// How long what we saw before asking has to last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Intent {
    /// As long as this machine.
    Remembered,
    /// It is recorded before the object is posted.
    Recorded,
    /// It was recorded by an earlier machine, which may have posted.
    Resumed,
}

#[derive(Debug)]
enum State<M> {
    Start,
    /// At a list that others share: it can say that a name is free, and not that it is taken.
    Glancing,
    Looking,
    /// What was seen is being recorded.
    Recording,
    Posting,
    /// After a lost answer.
    Proving,
    /// After a 409.
    Contested(ApiError),
    Discarding(i64),
    /// After a removal that was answered with a 404: looks whether it is gone.
    Discarded(i64, ApiError),
    /// After a create some of whose answers were lost: looks for ours that came late.
    Sweeping(M),
    RemovingStray(M, i64),
    /// After a removal that was answered with a 404: looks whether it is gone.
    StrayRemoved(M, i64),
    ListingKeys(M),
    Tidying(M, VecDeque<Request>),
    Ended,
}

impl<K: Creatable> Create<K> {
    /// A create. With `adopt`, one of that name that was there before is given back.
    pub fn new(new: K, adopt: bool) -> Self {
        Self::with(new, adopt, None, Intent::Remembered)
    }

    /// A create that outlives the process. Without `before` nothing is recorded yet: what has the
    /// name is looked up and recorded ([`Command::Record`]) before anything is posted. With the
    /// recorded `before`, an earlier machine may have posted: the one new object of that name is
    /// ours. The record must be kept until the outcome says what was made, whatever fails.
    pub fn durable(new: K, adopt: bool, before: Option<BTreeSet<i64>>) -> Self {
        let intent = if before.is_some() { Intent::Resumed } else { Intent::Recorded };
        Self::with(new, adopt, before, intent)
    }

    fn with(new: K, adopt: bool, before: Option<BTreeSet<i64>>, intent: Intent) -> Self {
        let (state, warnings) = (State::Start, Vec::new());
        let (posts, lost, late) = (0, None, 0);
        Self { new, adopt, state, before, intent, posts, lost, late, warnings }
    }

    /// What is made.
    pub fn what(&self) -> &K {
        &self.new
    }

    /// The next command. An event that does not fit ends it as an answer that is lost would.
    pub fn step(&mut self, event: Event) -> Command<K> {
        let state = std::mem::replace(&mut self.state, State::Ended);
        match (state, event) {
            (State::Start, Event::Begin) if self.intent == Intent::Resumed => {
                self.list(State::Proving)
            }
            (State::Start, Event::Begin) if K::REFUSES_TAKEN && !self.is_durable() => {
                self.call(self.new.list(), false, State::Glancing)
            }
            (State::Start, Event::Begin) => self.list(State::Looking),
            (State::Recording, Event::Recorded) => self.post(),
            (State::Glancing, Event::Replied(reply)) => self.glanced(reply),
            (State::Looking, Event::Replied(reply)) => self.looked(reply),
            (State::Posting, Event::Replied(reply)) => self.posted(reply),
            (State::Proving, Event::Replied(reply)) => self.proved(reply),
            (State::Contested(error), Event::Replied(reply)) => self.contested(error, reply),
            (State::Discarding(id), Event::Replied(reply)) => self.discarded(id, reply),
            (State::Sweeping(made), Event::Replied(reply)) => self.swept(made, reply),
            (State::Discarded(id, error), Event::Replied(reply)) => {
                if self.is_gone(id, reply) {
                    self.post_again()
                } else {
                    self.left_behind(id, error)
                }
            }
            (State::RemovingStray(made, id), Event::Replied(reply)) => match reply {
                Ok(_) => self.tidy(made),
                Err(error) if is_own_404(&error) => self.list(State::StrayRemoved(made, id)),
                Err(_) => self.stray_left(made, id),
            },
            (State::StrayRemoved(made, id), Event::Replied(reply)) => {
                if self.is_gone(id, reply) {
                    self.tidy(made)
                } else {
                    self.stray_left(made, id)
                }
            }
            (State::ListingKeys(made), Event::Replied(reply)) => self.keys_listed(made, reply),
            (State::Tidying(made, queue), Event::Replied(reply)) => {
                if !is_done(&reply) {
                    self.warn_key();
                }
                self.next_tidy(made, queue)
            }
            (State::Start | State::Recording | State::Ended, Event::Replied(_))
            | (_, Event::Begin | Event::Recorded) => self.fail_call(ApiError::unreadable()),
        }
    }

    fn call(&mut self, request: Request, fresh: bool, state: State<K::Made>) -> Command<K> {
        self.state = state;
        Command::Call { request, fresh, attempt: self.posts.saturating_sub(1) }
    }

    fn list(&mut self, state: State<K::Made>) -> Command<K> {
        self.call(self.new.list(), true, state)
    }

    fn post(&mut self) -> Command<K> {
        self.posts += 1;
        self.call(self.new.post(), false, State::Posting)
    }

    fn is_durable(&self) -> bool {
        self.intent != Intent::Remembered
    }

    fn glanced(&mut self, reply: Result<Reply, ApiError>) -> Command<K> {
        match self.facts(reply) {
            Ok(facts) if self.clashing(&facts).is_empty() => {
                self.before = Some(BTreeSet::new());
                self.post()
            }
            Ok(_) => self.list(State::Looking),
            Err(error) => self.fail_call(error),
        }
    }

    fn looked(&mut self, reply: Result<Reply, ApiError>) -> Command<K> {
        match self.facts(reply) {
            Ok(facts) => {
                self.before = Some(self.named(&facts).iter().map(K::id).collect());
                let clashing = self.clashing(&facts);
                if K::SHARES_NAMES || clashing.is_empty() {
                    self.set_out()
                } else {
                    self.taken(clashing)
                }
            }
            // Names of keys may repeat: where they cannot be listed, one is made all the same.
            Err(error) if K::SHARES_NAMES && is_unlisted(&error) => self.post(),
            Err(error) => self.fail_call(error),
        }
    }

    /// The name is free.
    fn set_out(&mut self) -> Command<K> {
        match (self.intent, &self.before) {
            (Intent::Recorded, Some(before)) => {
                self.state = State::Recording;
                Command::Record(before.clone())
            }
            _ => self.post(),
        }
    }

    fn posted(&mut self, reply: Result<Reply, ApiError>) -> Command<K> {
        let error = match reply {
            Ok(reply) => match self.new.made(reply) {
                Some(made) => return self.made(made),
                None => ApiError::unreadable(),
            },
            Err(error) => error,
        };
        if error.effect == Effect::Unknown {
            self.late += u32::from(!error.own_word);
            self.lost = Some(error.clone());
            return self.prove(error);
        }
        match error.class {
            Class::Conflict if !K::SHARES_NAMES => self.list(State::Contested(error)),
            // What certainly did not act, the transport has sent again as often as is of use.
            _ => self.fail_call(error),
        }
    }

    /// Where nothing can be looked up, nothing is posted again: one more could be left each time.
    fn prove(&mut self, error: ApiError) -> Command<K> {
        if self.before.is_some() { self.list(State::Proving) } else { self.fail_lost(error) }
    }

    fn post_again(&mut self) -> Command<K> {
        if self.posts < ATTEMPTS {
            return self.post();
        }
        let error = self.lost.clone().unwrap_or_else(ApiError::unreadable);
        self.fail_call(error)
    }

    /// What is there after an answer that was lost, to this machine or to an earlier one.
    fn proved(&mut self, reply: Result<Reply, ApiError>) -> Command<K> {
        let facts = match self.facts(reply) {
            Ok(facts) => facts,
            Err(error) => return self.fail_lost(error),
        };
        let mut new = self.new_ones(&facts);
        match (new.pop(), new.is_empty()) {
            (None, _) => self.post_unless_taken(&facts),
            (Some(one), true) => self.found_new(one),
            (Some(last), false) => {
                new.push(last);
                self.fail(|kind, label, ids| Failure::Ambiguous { kind, label, ids }, &new)
            }
        }
    }

    /// None is new. Before this machine has posted, another may have taken the name.
    fn post_unless_taken(&mut self, facts: &[K::Fact]) -> Command<K> {
        let clashing = self.clashing(facts);
        if self.posts > 0 || K::SHARES_NAMES || clashing.is_empty() {
            self.post_again()
        } else {
            self.taken(clashing)
        }
    }

    /// One is new. An earlier process may have posted what was wanted then.
    fn found_new(&mut self, fact: K::Fact) -> Command<K> {
        if self.intent == Intent::Resumed || self.new.may_be_posted(&fact) {
            self.found(fact)
        } else {
            self.taken(vec![fact])
        }
    }

    /// The one new object is ours. What it showed only once is lost, so another is made.
    fn found(&mut self, fact: K::Fact) -> Command<K> {
        let id = K::id(&fact);
        // The last one has come; after an answer of the server's own it may be any.
        self.late -= u32::from(self.late > 0 && self.lost.as_ref().is_some_and(|it| !it.own_word));
        match self.new.found(fact) {
            Some(made) => self.tidy(made),
            None => self.call(self.new.discard(id), false, State::Discarding(id)),
        }
    }

    fn discarded(&mut self, id: i64, reply: Result<Reply, ApiError>) -> Command<K> {
        match reply {
            Ok(_) => self.post_again(),
            Err(error) if is_own_404(&error) => self.list(State::Discarded(id, error)),
            Err(error) => self.left_behind(id, error),
        }
    }

    fn stray_left(&mut self, made: K::Made, id: i64) -> Command<K> {
        self.warn_stray(&[id]);
        self.tidy(made)
    }

    /// Whether a list lacks the object.
    fn is_gone(&self, id: i64, reply: Result<Reply, ApiError>) -> bool {
        self.facts(reply).is_ok_and(|facts| facts.iter().all(|fact| K::id(fact) != id))
    }

    /// A 409. When an answer of ours was lost before, the one new object is ours.
    fn contested(&mut self, error: ApiError, reply: Result<Reply, ApiError>) -> Command<K> {
        let Ok(facts) = self.facts(reply) else {
            return if self.in_doubt() { self.fail_lost(error) } else { self.fail_call(error) };
        };
        let mut new = self.new_ones(&facts);
        if self.in_doubt()
            && new.len() == 1
            && let Some(one) = new.pop()
        {
            return self.found_new(one);
        }
        let clashing = self.clashing(&facts);
        if clashing.is_empty() && self.in_doubt() {
            return self.fail_unseen(error);
        }
        self.taken(clashing)
    }

    fn made(&mut self, made: K::Made) -> Command<K> {
        // Where nothing of ours may have come, what is new is another's.
        let may_have_come = self.late > 0 || self.intent == Intent::Resumed;
        if K::SHOWN_ONCE && may_have_come && self.before.is_some() {
            self.list(State::Sweeping(made))
        } else {
            self.tidy(made)
        }
    }

    /// A request whose answer was lost may have acted after we looked.
    fn swept(&mut self, made: K::Made, reply: Result<Reply, ApiError>) -> Command<K> {
        let Ok(facts) = self.facts(reply) else {
            self.warn_unlisted();
            self.late = 0;
            return self.tidy(made);
        };
        let ours = K::made_id(&made);
        let strays: Vec<_> =
            self.new_ones(&facts).iter().map(K::id).filter(|id| *id != ours).collect();
        self.late = self.late.saturating_sub(u32::try_from(strays.len()).unwrap_or(u32::MAX));
        match strays.as_slice() {
            [] => self.tidy(made),
            [stray] => {
                self.call(self.new.discard(*stray), false, State::RemovingStray(made, *stray))
            }
            more => {
                self.warn_stray(more);
                self.tidy(made)
            }
        }
    }

    fn tidy(&mut self, made: K::Made) -> Command<K> {
        match self.new.tidy(&made) {
            Tidy::Nothing => self.done(made),
            Tidy::Send(requests) => self.next_tidy(made, requests.into()),
            Tidy::Look(request) => self.call(request, true, State::ListingKeys(made)),
        }
    }

    fn keys_listed(&mut self, made: K::Made, reply: Result<Reply, ApiError>) -> Command<K> {
        let Ok(reply) = reply else {
            self.warn_key();
            return self.done(made);
        };
        let requests = self.new.tidy_listed(&made, reply);
        self.next_tidy(made, requests.into())
    }

    fn next_tidy(&mut self, made: K::Made, mut queue: VecDeque<Request>) -> Command<K> {
        match queue.pop_front() {
            Some(request) => self.call(request, false, State::Tidying(made, queue)),
            None => self.done(made),
        }
    }

    fn facts(&self, reply: Result<Reply, ApiError>) -> Result<Vec<K::Fact>, ApiError> {
        self.new.facts(reply?).ok_or_else(ApiError::unreadable)
    }

    fn named(&self, facts: &[K::Fact]) -> Vec<K::Fact> {
        facts.iter().filter(|fact| self.new.is_named(fact)).cloned().collect()
    }

    fn clashing(&self, facts: &[K::Fact]) -> Vec<K::Fact> {
        facts.iter().filter(|fact| self.new.clashes(fact)).cloned().collect()
    }

    fn new_ones(&self, facts: &[K::Fact]) -> Vec<K::Fact> {
        let before = self.before.clone().unwrap_or_default();
        let mut new = self.named(facts);
        new.retain(|fact| !before.contains(&K::id(fact)));
        new
    }
}

/// Whether a removal has done its work: what is not there is removed.
fn is_done(reply: &Result<Reply, ApiError>) -> bool {
    reply.as_ref().err().is_none_or(is_own_404)
}

fn is_unlisted(error: &ApiError) -> bool {
    matches!(error.class, Class::TooOld | Class::Denied)
}
