//! A simulator with a few objects on it, and a configured provider with an empty state.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Binary};
use terdut_tests::host::{Host, Profile, World};

use crate::kinds::{Fixture, Kind, all};

/// The address that matrices use.
pub(crate) const ADDRESS: &str = "thing.main";

/// What every matrix starts from.
pub(crate) struct Scene {
    pub(crate) simulator: Arc<Simulator>,
    pub(crate) api: Api,
    pub(crate) fixture: Fixture,
    pub(crate) world: World,
    /// Settings beside those that every scene has.
    pub(crate) more: Json,
    binary: Binary,
}

impl Scene {
    /// As a current Terraform.
    pub(crate) async fn start() -> Self {
        Self::play(Profile::modern()).await
    }

    /// As another host.
    pub(crate) async fn play(profile: Profile) -> Self {
        Self::against(Simulator::start(Options::default()), profile).await
    }

    /// Against a server of another sort. The provider logs all it can: each line is looked at.
    pub(crate) async fn against(simulator: Simulator, profile: Profile) -> Self {
        let binary = Binary::provider().with_env("TF_LOG", "TRACE");
        Self::of(simulator, &binary, profile).await
    }

    /// With another environment of the provider.
    pub(crate) async fn of(simulator: Simulator, binary: &Binary, profile: Profile) -> Self {
        let api = Api::bootstrap(simulator.url()).await;
        let fixture = furnish(&api).await;
        let world = World::new(Host::start(binary, profile).await);
        let (simulator, more, binary) = (Arc::new(simulator), json!({}), binary.clone());
        let scene = Self { simulator, api, fixture, world, more, binary };
        scene.world.configure(&scene.settings()).await.expect("the settings are good");
        scene
    }

    /// The same state with a new process of the same environment, configured anew.
    pub(crate) async fn restart(&mut self, profile: Profile) {
        self.world.restart(Host::start(&self.binary, profile).await).await;
        self.world.configure(&self.settings()).await.expect("the settings are good");
    }

    /// Settings that reach the simulator and give up soon.
    pub(crate) fn settings(&self) -> Json {
        let mut settings = json!({
            "url": self.api.base(), "token": self.api.token(), "max_retries": 0,
            "request_timeout": "1s"
        });
        for (name, value) in self.more.as_object().into_iter().flatten() {
            settings[name] = value.clone();
        }
        settings
    }

    /// What the matrices know of a kind.
    pub(crate) fn kind(&self, type_name: &str) -> Kind {
        let mut kinds = all(&self.fixture).into_iter();
        kinds.find(|kind| kind.type_name == type_name).expect("a kind of that name")
    }

    /// Applies a configuration and wants a quiet second plan.
    pub(crate) async fn settle(&mut self, kind: &Kind, config: &Json) -> Json {
        let applied = self.world.apply(ADDRESS, kind.type_name, config).await;
        let applied = applied.unwrap_or_else(|failure| panic!("{config}: {failure}"));
        let plan = self.world.plan(ADDRESS, kind.type_name, config).await;
        plan.unwrap_or_else(|failure| panic!("{config}: {failure}")).expect_empty();
        applied.state
    }

    /// How many requests so far could change something.
    pub(crate) fn writes(&self) -> usize {
        self.simulator.requests().iter().filter(|seen| seen.writes()).count()
    }
}

async fn furnish(api: &Api) -> Fixture {
    let account = |name: &'static str| json!({ "name": name, "scope": "instance" });
    for name in ["ada", "bob"] {
        let user = json!({ "username": name, "email": format!("{name}@example.org") });
        api.post("/api/users", &user).await;
    }
    let first = api.post("/api/service-accounts", &account("robot")).await;
    let second = api.post("/api/service-accounts", &account("robot-2")).await;
    let id = |answer: &Json| {
        let account = answer.get("service_account").unwrap_or(answer);
        account["id"].to_string()
    };
    Fixture {
        team: api.team("Fixture").await.to_string(),
        other_team: api.team("Fixture 2").await.to_string(),
        account: id(&first),
        other_account: id(&second),
    }
}
