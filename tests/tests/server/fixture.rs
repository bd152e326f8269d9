//! A server, a provider and a state file for one test.

use http::{Method, StatusCode};
use serde_json::{Value as Json, json};
use terdut_simulator::{Fault, Options, Simulator};
use terdut_tests::harness::{Api, Binary};
use terdut_tests::host::{ApplyOutcome, Diagnostic, Failure, Host, PlanOutcome, Profile, World};

pub(crate) const SERVER: &str = "terdut_server";
pub(crate) const MAIN: &str = "terdut_server.main";

pub(crate) struct Fixture {
    pub(crate) simulator: Simulator,
    pub(crate) world: World,
}

impl Fixture {
    /// A fresh server and a host that can do everything.
    pub(crate) async fn new() -> Self {
        Self::played_by(Profile::modern()).await
    }

    pub(crate) async fn played_by(profile: Profile) -> Self {
        let binary = Binary::provider().with_env("TF_LOG", "TRACE");
        let world = World::new(Host::start(&binary, profile).await);
        world.configure(&json!({})).await.expect("an empty provider block is enough");
        Self { simulator: simulator(), world }
    }

    pub(crate) fn base(&self) -> String {
        self.simulator.url().to_owned()
    }

    /// The next request of that kind is refused.
    pub(crate) fn fail(&self, method: &str, route: &str, status: u16) {
        self.simulator.fault(Fault::on(method, route).error(status, "scripted"));
    }

    /// The first person's way to the server, which spends the bootstrap.
    pub(crate) async fn admin(&self) -> Api {
        Api::bootstrap(&self.base()).await
    }

    /// A configuration with the server's URL and these attributes.
    pub(crate) fn config(&self, attributes: &Json) -> Json {
        let mut config = json!({ "url": self.base() });
        let object = config.as_object_mut().expect("an object");
        object.extend(attributes.as_object().expect("an object").clone());
        config
    }

    pub(crate) async fn try_apply(&mut self, attributes: &Json) -> Result<ApplyOutcome, Failure> {
        let config = self.config(attributes);
        self.world.apply(MAIN, SERVER, &config).await
    }

    pub(crate) async fn apply(&mut self, attributes: &Json) -> ApplyOutcome {
        self.try_apply(attributes).await.unwrap_or_else(|failure| panic!("{failure}"))
    }

    pub(crate) async fn try_plan(&self, attributes: &Json) -> Result<PlanOutcome, Failure> {
        self.world.plan(MAIN, SERVER, &self.config(attributes)).await
    }

    pub(crate) async fn plan(&self, attributes: &Json) -> PlanOutcome {
        self.try_plan(attributes).await.unwrap_or_else(|failure| panic!("{failure}"))
    }

    pub(crate) fn state(&self) -> &Json {
        self.world.state(MAIN).expect("a server is stored")
    }

    /// A stored text.
    pub(crate) fn text(&self, name: &str) -> String {
        text(self.state(), name)
    }

    /// Whether the server takes a key.
    pub(crate) async fn takes(&self, token: &str) -> bool {
        let (status, _) = Api::new(&self.base(), token).send(Method::GET, "/api/users", None).await;
        status == StatusCode::OK
    }
}

pub(crate) fn simulator() -> Simulator {
    Simulator::start(Options::default())
}

pub(crate) fn text(object: &Json, name: &str) -> String {
    object[name].as_str().unwrap_or_else(|| panic!("{name} is a text in {object}")).to_owned()
}

/// The accounts of that name.
pub(crate) async fn accounts(admin: &Api, name: &str) -> Vec<Json> {
    let list = admin.get("/api/service-accounts").await;
    let named = |account: &&Json| account["name"] == name;
    list.as_array().expect("a list").iter().filter(named).cloned().collect()
}

/// The ids of an account's keys, as texts.
pub(crate) async fn keys(admin: &Api, account: &str) -> Vec<String> {
    let list = admin.get(&format!("/api/service-accounts/{account}/keys")).await;
    list.as_array().expect("a list").iter().map(|key| key["id"].to_string()).collect()
}

pub(crate) fn bootstrap() -> Json {
    json!({ "username": "root", "email": "root@example.org", "password": "s3cret-password" })
}

pub(crate) fn unknown() -> Json {
    json!({ "$unknown": true })
}

pub(crate) fn summaries(diagnostics: &[Diagnostic]) -> Vec<&str> {
    diagnostics.iter().map(|diagnostic| diagnostic.summary.as_str()).collect()
}
