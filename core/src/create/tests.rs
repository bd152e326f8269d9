//! Tests of the create machine against a server that loses answers.

mod durable;
mod glance;
mod once;
mod orders;

use super::*;
use crate::api::{self, Account, AccountScope, ApiKey, Integration, NewIntegration};
use crate::error::{Class, Effect};
use crate::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use crate::secret::SecretString;

/// What happens to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Answered,
    /// It acts, and its answer is lost.
    LostAfter,
    /// It does not act, and nobody can tell.
    LostBefore,
    /// It does not act, and that is known.
    Refused,
    /// Another process makes one of the same name first.
    Overtaken,
    /// It acts only after the next request was answered, and its answer is lost.
    Late,
    /// It does not act, and is answered with a 404.
    Unknown,
}

#[derive(Debug, Default)]
struct Server {
    objects: Vec<(i64, String)>,
    foreign: Vec<i64>,
    keys: Vec<(i64, i64)>,
    late: Option<Request>,
    next: i64,
    removed: Vec<i64>,
}

fn error(class: Class, effect: Effect) -> ApiError {
    let (method, route, said) = ("POST", "/api/x", String::new());
    // Who does not answer says nothing.
    let own_word = class != Class::Unreachable;
    ApiError { class, effect, method, route, status: None, own_word, said }
}

const LOST: (Class, Effect) = (Class::Unreachable, Effect::Unknown);

impl Server {
    fn with(names: &[&str]) -> Self {
        let mut server = Self::default();
        for name in names {
            let id = server.add(name);
            server.foreign.push(id);
        }
        server
    }

    fn add(&mut self, name: &str) -> i64 {
        self.next += 1;
        self.objects.push((self.next, name.to_owned()));
        self.next
    }

    fn handle(&mut self, request: &Request, fate: Fate) -> Result<Reply, ApiError> {
        let late = self.late.take();
        let reply = self.meet(request, fate);
        if let Some(late) = late {
            let _ = self.act(&late);
        }
        reply
    }

    fn meet(&mut self, request: &Request, fate: Fate) -> Result<Reply, ApiError> {
        match fate {
            Fate::Answered => self.act(request),
            Fate::LostAfter => {
                let _ = self.act(request);
                Err(error(LOST.0, LOST.1))
            }
            Fate::LostBefore => Err(error(LOST.0, LOST.1)),
            Fate::Unknown => Err(error(Class::NotFound, Effect::None)),
            Fate::Refused => Err(error(Class::Retryable, Effect::None)),
            Fate::Overtaken => {
                if let Some(name) = posted_name(request)
                    && !(unique(request) && self.has(&name))
                {
                    let id = self.add(&name);
                    self.foreign.push(id);
                }
                self.act(request)
            }
            Fate::Late => {
                self.late = Some(request.clone());
                Err(error(LOST.0, LOST.1))
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.objects.iter().any(|(_, other)| other == name)
    }

    fn act(&mut self, request: &Request) -> Result<Reply, ApiError> {
        if let Some(name) = posted_name(request)
            && unique(request)
            && self.has(&name)
        {
            return Err(error(Class::Conflict, Effect::None));
        }
        Ok(match request {
            Request::ListTeams => {
                Reply::Teams(self.objects.iter().map(|(id, name)| team(*id, name)).collect())
            }
            Request::CreateTeam { name } => Reply::Team(team(self.add(name), name)),
            Request::ListIntegrations { .. } => Reply::Integrations(
                self.objects.iter().map(|(id, name)| source(*id, name)).collect(),
            ),
            Request::CreateIntegration { name, .. } => {
                let (integration, key) = (source(self.add(name), name), SecretString::new("k"));
                let url = SecretString::new("u");
                Reply::NewIntegration(NewIntegration { integration, key, url })
            }
            Request::ListSwitches { .. } => {
                Reply::Switches(self.objects.iter().map(|(id, name)| switch(*id, name)).collect())
            }
            Request::CreateSwitch { switch: new, .. } => {
                Reply::Switch(switch(self.add(&new.name), &new.name))
            }
            Request::DeleteIntegration { integration, .. } => self.remove(integration.0)?,
            Request::ListAccounts { .. } => {
                Reply::Accounts(self.objects.iter().map(|(id, name)| account(*id, name)).collect())
            }
            Request::CreateAccount { name, .. } => {
                let id = self.add(name);
                self.keys.push((id, 100 + id));
                Reply::NewAccount(api::NewAccount {
                    account: account(id, name),
                    key: key(100 + id),
                })
            }
            Request::ListKeys { account } => {
                let own = self.keys.iter().filter(|(owner, _)| *owner == account.0);
                Reply::Keys(own.map(|(_, id)| key(*id)).collect())
            }
            Request::MintKey { account, .. } => {
                self.next += 1;
                self.keys.push((account.0, self.next));
                Reply::Key(key(self.next))
            }
            Request::RevokeKey { account, key } => {
                self.keys.retain(|pair| *pair != (account.0, key.0));
                Reply::Done
            }
            other => panic!("{other:?} is not asked for here"),
        })
    }

    fn remove(&mut self, id: i64) -> Result<Reply, ApiError> {
        let before = self.objects.len();
        self.objects.retain(|(other, _)| *other != id);
        self.removed.push(id);
        if self.objects.len() < before {
            Ok(Reply::Done)
        } else {
            Err(error(Class::NotFound, Effect::None))
        }
    }

    fn ours(&self) -> Vec<i64> {
        let ids = self.objects.iter().map(|(id, _)| *id);
        ids.filter(|id| !self.foreign.contains(id)).collect()
    }
}

fn posted_name(request: &Request) -> Option<String> {
    match request {
        Request::CreateTeam { name }
        | Request::CreateIntegration { name, .. }
        | Request::CreateAccount { name, .. } => Some(name.clone()),
        Request::CreateSwitch { switch, .. } => Some(switch.name.clone()),
        _ => None,
    }
}

fn unique(request: &Request) -> bool {
    !matches!(request, Request::CreateIntegration { .. })
}

fn team(id: i64, name: &str) -> api::Team {
    let name = name.to_owned();
    api::Team { id: TeamId(id), name, oidc_member_group: None, oidc_owner_group: None }
}

fn switch(id: i64, name: &str) -> api::Switch {
    let api::NewSwitch { name, matcher, timeout, severity } = new_switch(name).switch;
    api::Switch { id: SwitchId(id), name, matcher, timeout: timeout.replace("1h", "60m"), severity }
}

fn source(id: i64, name: &str) -> Integration {
    let (kind, name) = ("alertmanager".to_owned(), name.to_owned());
    Integration { id: IntegrationId(id), kind, name }
}

fn account(id: i64, name: &str) -> Account {
    let (name, scope) = (name.to_owned(), AccountScope::Instance);
    Account { id: AccountId(id), name, scope, created_at: None }
}

fn key(id: i64) -> ApiKey {
    let (name, key) = ("first".to_owned(), Some(SecretString::new("k")));
    ApiKey { id: KeyId(id), name, key, created_at: None }
}

/// Runs a machine to its end; requests after the last fate are answered.
fn run<K: Creatable>(server: &mut Server, new: K, adopt: bool, fates: &[Fate]) -> Outcome<K> {
    let mut machine = Create::new(new, adopt);
    let mut fates = fates.iter().copied();
    let mut event = Event::Begin;
    for _ in 0..100 {
        match machine.step(event) {
            Command::Finish(outcome) => return *outcome,
            Command::Record(_) => panic!("only a durable create is recorded"),
            Command::Call { request, .. } => {
                let fate = fates.next().unwrap_or(Fate::Answered);
                event = Event::Replied(server.handle(&request, fate));
            }
        }
    }
    panic!("the machine does not end");
}

fn new_team() -> NewTeam {
    NewTeam { name: "a".to_owned() }
}

fn new_switch(name: &str) -> NewSwitch {
    let text = |text: &str| text.to_owned();
    let (matcher, timeout, severity) = (text("a=b"), text("1h"), text("critical"));
    let switch = api::NewSwitch { name: text(name), matcher, timeout, severity };
    NewSwitch { team: TeamId(1), switch }
}

fn new_source() -> NewSource {
    let text = |text: &str| text.to_owned();
    NewSource { team: TeamId(1), kind: text("alertmanager"), name: text("a") }
}

fn new_account() -> NewAccount {
    NewAccount { name: "a".to_owned(), scope: AccountScope::Instance }
}

use Fate::{Answered, LostAfter, LostBefore, Overtaken, Refused};

#[test]
fn a_lost_answer_is_looked_up_and_the_new_object_is_ours() {
    let mut server = Server::with(&["b"]);
    let outcome = run(&mut server, new_team(), false, &[Answered, LostAfter]);
    assert!(matches!(outcome, Outcome::Made { made, .. } if made.id == TeamId(2)));
    assert_eq!(server.objects.len(), 2);
}

#[test]
fn a_request_that_never_acted_is_made_again_and_not_for_ever() {
    let mut server = Server::default();
    let three = [Answered, LostBefore].repeat(3);
    let outcome = run(&mut server, new_team(), false, &three);
    assert!(matches!(outcome, Outcome::Made { .. }));
    let never = [Answered, LostBefore].repeat(4);
    let outcome = run(&mut Server::default(), new_team(), false, &never);
    assert!(matches!(outcome, Outcome::Failed(Failure::Unseen { last: None, .. })), "{outcome:?}");
}

#[test]
fn what_may_still_appear_is_told_although_it_is_not_there_yet() {
    let given_up = |fates: &[Fate]| {
        let mut server = Server::default();
        let Outcome::Failed(failure) = run(&mut server, new_team(), false, fates) else { panic!() };
        (failure, server)
    };
    // It is answered to nobody, and done after nobody asks any more.
    let late = [&[Answered, LostBefore].repeat(3)[..], &[Answered, Fate::Late]].concat();
    let (failure, server) = given_up(&late);
    assert_eq!(server.ours(), [1], "it came up");
    assert!(failure.may_have_made(), "{failure:?}");
    let problem = failure.problem();
    assert!(problem.detail.contains("may still appear"), "{problem:?}");
    assert!(problem.hint.contains("import"), "{problem:?}");
    // What was asked after it is told too.
    let (failure, _) = given_up(&[Answered, LostBefore, Answered, Fate::Unknown]);
    let problem = failure.problem();
    assert!(
        matches!(&failure, Failure::Unseen { error, last: Some(last), .. }
        if error.class == Class::Unreachable && last.class == Class::NotFound),
        "{failure:?}"
    );
    assert!(problem.detail.contains("may still appear"), "{problem:?}");
    // What the server itself has answered will not act any more.
    let mut machine = Create::new(new_team(), false);
    let mut event = Event::Begin;
    let failure = loop {
        event = Event::Replied(match machine.step(event) {
            Command::Finish(outcome) => break outcome,
            Command::Call { request: Request::ListTeams, .. } => Ok(Reply::Teams([].into())),
            _ => Err(error(Class::Retryable, Effect::Unknown)),
        });
    };
    assert!(matches!(*failure, Outcome::Failed(Failure::Call { .. })), "{failure:?}");
}

#[test]
fn a_name_that_is_taken_and_not_listed_may_be_ours_only_after_a_lost_answer() {
    let new = || Create::new(new_team(), false);
    let none = || Event::Replied(Ok(Reply::Teams([].into())));
    let taken = || Event::Replied(Err(error(Class::Conflict, Effect::None)));
    let lost = || Event::Replied(Err(error(LOST.0, LOST.1)));
    let end = |mut machine: Create<NewTeam>, events: Vec<Event>| {
        let ended = events.into_iter().map(|event| machine.step(event)).last();
        let Some(Command::Finish(outcome)) = ended else { panic!("{ended:?}") };
        let Outcome::Failed(failure) = *outcome else { panic!("{outcome:?}") };
        failure
    };
    let failure = end(new(), vec![Event::Begin, none(), taken(), none()]);
    assert!(matches!(failure, Failure::Taken { .. }), "{failure:?}");
    let failure = end(new(), vec![Event::Begin, none(), lost(), none(), taken(), none()]);
    assert!(matches!(failure, Failure::Unseen { .. }), "{failure:?}");
}

#[test]
fn a_name_that_was_taken_is_an_error_with_its_id_or_is_found_with_leave() {
    let mut server = Server::with(&["a"]);
    let Outcome::Failed(failure) = run(&mut server, new_team(), false, &[]) else { panic!() };
    assert!(failure.problem().hint.contains("id = \"1\""), "{failure:?}");
    let found = run(&mut server, new_team(), true, &[]);
    assert!(matches!(found, Outcome::Found(team) if team.id == TeamId(1)));
}

#[test]
fn an_e_mail_address_is_taken_as_a_name_is() {
    let text = |text: &str| text.to_owned();
    let new = NewUser { username: text("ann"), email: text("Ann@example.org") };
    let (username, email) = (text("bob"), text("ann@EXAMPLE.org"));
    let bob = api::User { id: UserId(3), username, email, ntfy_topic: None, created_at: None };
    let mut machine = Create::new(new, false);
    machine.step(Event::Begin);
    let command = machine.step(Event::Replied(Ok(Reply::Users(vec![bob].into()))));
    let Command::Finish(outcome) = command else { panic!("the address is taken") };
    let Outcome::Failed(failure) = *outcome else { panic!("the address is taken") };
    assert!(failure.problem().detail.contains("Ann@example.org"), "{failure:?}");
}

#[test]
fn a_name_taken_at_the_last_moment_is_not_ours() {
    let mut server = Server::default();
    let outcome = run(&mut server, new_team(), false, &[Answered, Overtaken]);
    assert!(matches!(outcome, Outcome::Failed(Failure::Taken { ids, .. }) if ids == ["1"]));
}

#[test]
fn two_new_objects_of_one_name_are_an_error_and_stay() {
    let mut server = Server::default();
    let mut machine = Create::new(new_source(), false);
    machine.step(Event::Begin);
    machine.step(Event::Replied(Ok(Reply::Integrations(Vec::new().into()))));
    machine.step(Event::Replied(Err(error(LOST.0, LOST.1))));
    let (one, two) = (server.add("a"), server.add("a"));
    let listed = Reply::Integrations(vec![source(one, "a"), source(two, "a")].into());
    let Command::Finish(outcome) = machine.step(Event::Replied(Ok(listed))) else { panic!() };
    let Outcome::Failed(Failure::Ambiguous { ids, .. }) = *outcome else { panic!() };
    assert_eq!(ids, ["1/1", "1/2"]);
}

#[test]
fn a_404_to_the_removal_of_ours_counts_only_if_a_list_lacks_it() {
    let mut server = Server::default();
    let fates = [Answered, LostAfter, Answered, Fate::Unknown];
    let outcome = run(&mut server, new_source(), false, &fates);
    assert!(matches!(outcome, Outcome::Failed(Failure::LeftBehind { .. })), "{outcome:?}");
    assert_eq!(server.ours(), [1]);
    // One that came up late, beside the one that is answered.
    let mut server = Server::default();
    let fates = [Answered, Fate::Late, Answered, Answered, Answered, Fate::Unknown];
    let Outcome::Made { warnings, .. } = run(&mut server, new_source(), false, &fates) else {
        panic!("it is made")
    };
    assert_eq!((server.ours().len(), warnings.len()), (2, 1), "{warnings:?}");
}

#[test]
fn a_look_up_that_fails_says_that_nobody_knows() {
    let mut server = Server::default();
    let outcome = run(&mut server, new_team(), false, &[Answered, LostAfter, Refused]);
    let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
    assert!(failure.problem().hint.contains("adopt_existing"), "{failure:?}");
}

#[test]
fn the_first_key_of_an_account_is_revoked_also_after_a_lost_answer() {
    for fates in [&[][..], &[Answered, LostAfter]] {
        let mut server = Server::default();
        let outcome = run(&mut server, new_account(), false, fates);
        assert!(matches!(outcome, Outcome::Made { warnings, .. } if warnings.is_empty()));
        assert!(server.keys.is_empty() && server.objects.len() == 1);
    }
    let mut server = Server::default();
    let outcome = run(&mut server, new_account(), false, &[Answered, Answered, Refused]);
    assert!(matches!(outcome, Outcome::Made { warnings, .. } if warnings.len() == 1));
}

#[test]
fn a_list_of_another_shape_is_no_list() {
    let mut machine = Create::new(new_team(), false);
    machine.step(Event::Begin);
    let command = machine.step(Event::Replied(Ok(Reply::Done)));
    assert!(matches!(command, Command::Finish(outcome)
        if matches!(*outcome, Outcome::Failed(Failure::Call { .. }))));
}
