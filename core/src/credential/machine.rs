//! The machine's face: commands out, events in.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::facts::Facts;
use super::failure::{Failure, Warning};
use super::port::Port;
use super::run::Run;
use super::{Custody, Order, WantedAccount, converge, release};
use crate::api::{Reply, Request};
use crate::error::ApiError;
use crate::secret::SecretString;

/// What has to be done next.
#[derive(Debug, Clone)]
pub enum Command {
    /// Make this request with this key (`None`: without any). A list is read past every cache: it
    /// is a proof.
    Call {
        /// The key.
        key: Option<SecretString>,
        /// The request.
        request: Request,
    },
    /// Record these facts, before anything else is done.
    Store(Facts),
    /// There is nothing more to do.
    Finish(Outcome),
}

/// What happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// Nothing yet: the first step.
    Begin,
    /// The facts are recorded.
    Stored,
    /// What became of the request.
    Replied(Result<Reply, ApiError>),
}

/// How it ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What is held now.
    pub facts: Facts,
    /// What a person should know.
    pub warnings: Vec<Warning>,
    /// Why it ended before all was done.
    pub failure: Option<Failure>,
}

type Protocol = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// One order being carried out.
pub struct Machine {
    port: Port,
    protocol: Protocol,
    outcome: Option<Outcome>,
}

impl fmt::Debug for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Machine").field("outcome", &self.outcome).finish_non_exhaustive()
    }
}

impl Machine {
    /// Brings what is held to what is ordered: create, finish, rotate, rename.
    pub fn converge(facts: Facts, order: Order) -> Self {
        Self::new(facts, order.custody, Task::Converge(order))
    }

    /// Gives up all that is held: our keys and, with one of the handed keys, the account that we
    /// made.
    pub fn release(facts: Facts, handed: Vec<SecretString>) -> Self {
        Self::new(facts, Custody::Shared, Task::Release(handed))
    }

    /// Gives up an account in sole custody: all its keys and, with one of the handed keys, the
    /// account. What a crash left without a record is found by the account's name.
    pub fn release_sole(facts: Facts, account: WantedAccount, handed: Vec<SecretString>) -> Self {
        Self::new(facts, Custody::Sole, Task::ReleaseSole(account, handed))
    }

    fn new(facts: Facts, custody: Custody, task: Task) -> Self {
        let port = Port::new(Command::Store(facts.clone()));
        let protocol = Box::pin(carry_out(Run::new(port.clone(), facts, custody), task));
        Self { port, protocol, outcome: None }
    }

    /// Takes in what became of the last command and says what is next. An event that does not fit
    /// the command gets the same command again.
    pub fn step(&mut self, event: Event) -> Command {
        if let Some(outcome) = &self.outcome {
            return Command::Finish(outcome.clone());
        }
        self.take(event);
        match self.protocol.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => Command::Finish(self.outcome.insert(outcome).clone()),
            Poll::Pending => self.asked(),
        }
    }

    fn take(&self, event: Event) {
        let mut slot = self.port.slot();
        let fits = matches!(
            (&slot.command, &event),
            (Command::Call { .. }, Event::Replied(_)) | (Command::Store(_), Event::Stored)
        );
        slot.event = fits.then_some(event);
    }

    fn asked(&self) -> Command {
        self.port.slot().command.clone()
    }
}

enum Task {
    Converge(Order),
    Release(Vec<SecretString>),
    ReleaseSole(WantedAccount, Vec<SecretString>),
}

async fn carry_out(mut run: Run, task: Task) -> Outcome {
    let result = match task {
        Task::Converge(order) => converge::converge(&mut run, &order).await,
        Task::Release(handed) => release::release(&mut run, &handed).await,
        Task::ReleaseSole(account, handed) => {
            release::release_sole(&mut run, &account, &handed).await
        }
    };
    Outcome { facts: run.facts, warnings: run.warnings, failure: result.err() }
}
