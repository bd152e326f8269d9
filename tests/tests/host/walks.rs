//! Random walks: configurations, drift, lost answers, restarts and unknowns in any order.
//!
//! After each step the plan must be empty and the object must be there once. The seed is printed
//! with each step; `TERDUT_SEED` walks the same way again.

use serde_json::{Value as Json, json};
use terdut_simulator::Fault;
use terdut_tests::host::Profile;

use crate::kinds::{Kind, filled, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(any_order_of_events_ends_in_a_quiet_plan);

const STEPS: usize = 40;

/// A small generator: the same seed, the same walk.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides.max(1) as u64).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.roll(from.len()))
    }
}

/// A seed of the kind's own, unless one is given.
fn seed(kind: &Kind) -> u64 {
    let given = std::env::var("TERDUT_SEED").ok().and_then(|text| text.parse().ok());
    let own = kind.type_name.bytes().fold(7, |sum: u64, byte| sum.rotate_left(5) ^ u64::from(byte));
    given.unwrap_or(own).max(1)
}

/// A configuration of any of the kind's values.
fn any_config(kind: &Kind, dice: &mut Dice) -> Json {
    let mut config = if dice.roll(2) == 0 { kind.small.clone() } else { kind.full.clone() };
    for _ in 0..dice.roll(4) {
        let words: Vec<_> = kind.spellings.iter().chain(&kind.empties).collect();
        let changed = match dice.roll(2) {
            0 => dice.pick(&kind.changes).map(|change| (change.attribute, change.value.clone())),
            _ => dice
                .pick(&words)
                .and_then(|(attribute, values)| Some((*attribute, dice.pick(values)?.clone()))),
        };
        if let Some((attribute, value)) = changed {
            config = with(&config, attribute, &value);
        }
    }
    if config["scope"] == json!("instance") {
        config["team_id"] = json!(null);
    }
    config
}

#[expect(clippy::print_stdout, reason = "a failing test shows its walk")]
async fn any_order_of_events_ends_in_a_quiet_plan(mut scene: Scene, kind: Kind) {
    let seed = seed(&kind);
    let mut dice = Dice(seed);
    let mut config = kind.small.clone();
    for step in 0..STEPS {
        let event = any_event(&mut scene, &kind, &mut dice, &mut config).await;
        println!("seed {seed}, step {step}: {event}; {config}");
        patient(&scene).await;
        let state = scene.settle(&kind, &config).await;
        scene.simulator.clear_faults();
        expect_once(&scene, &kind, &state).await;
    }
    scene.world.close().await;
}

/// Something happens; what is wanted may be another thing after it.
async fn any_event(
    scene: &mut Scene,
    kind: &Kind,
    dice: &mut Dice,
    config: &mut Json,
) -> &'static str {
    let state = scene.world.state(ADDRESS).cloned();
    match (dice.roll(8), state) {
        (0, Some(state)) => {
            if let Some(drift) = dice.pick(&kind.drift).filter(|_| is_full(kind, &state)) {
                (drift.change)(&scene.simulator, &state);
            }
            "drift"
        }
        (1, Some(_)) => {
            scene.world.destroy(ADDRESS).await.expect("a destroy");
            "destroyed"
        }
        (2, _) => {
            scene.restart(Profile::modern()).await;
            "restarted"
        }
        (3, _) => {
            *config = any_config(kind, dice);
            let method = *dice.pick(&["POST", "PUT", "PATCH", "DELETE"]).expect("one of them");
            scene.simulator.fault(Fault::on(method, "*").drop_after());
            "the next answer is lost"
        }
        (4, _) => {
            *config = any_config(kind, dice);
            scene.simulator.fault(Fault::on("*", "*").nth(2).error(503, "busy"));
            "the server is busy"
        }
        (5, Some(_)) => {
            scene.world.taint(ADDRESS);
            "tainted"
        }
        (6, _) => {
            let known = any_config(kind, dice);
            let mut open = known.clone();
            let names: Vec<_> = open.as_object().into_iter().flatten().map(|(k, _)| k).collect();
            let name = (*dice.pick(&names).expect("something is set")).clone();
            open[&name] = json!({ "$unknown": true });
            let applied = scene.world.apply_resolved(ADDRESS, kind.type_name, &open, &known).await;
            applied.unwrap_or_else(|failure| panic!("{open} as {known}: {failure}"));
            *config = known;
            "an unknown was filled in"
        }
        _ => {
            *config = any_config(kind, dice);
            "another configuration"
        }
    }
}

/// Whether drift as the table has it fits what is there.
fn is_full(kind: &Kind, state: &Json) -> bool {
    let set = |(name, value): (&String, &Json)| value.is_null() || !state[name].is_null();
    kind.full.as_object().into_iter().flatten().all(set)
}

async fn patient(scene: &Scene) {
    let mut settings = scene.settings();
    settings["max_retries"] = json!(3);
    scene.world.configure(&settings).await.expect("the settings are good");
}

/// The server has the object of the state, and no other of its name.
async fn expect_once(scene: &Scene, kind: &Kind, state: &Json) {
    let list = scene.api.get(&filled(kind.list, state)).await;
    let Some(items) = list.as_array() else { return };
    let id = state["id"].as_str().unwrap_or_default();
    let own = items
        .iter()
        .find(|item| item["id"].as_i64().map(|own| own.to_string()).as_deref() == Some(id));
    let own = own.unwrap_or_else(|| panic!("{id} is not there: {list}"));
    let name = |item: &Json| {
        let name = item["name"].as_str().or(item["username"].as_str());
        name.map(|name| name.trim().to_owned())
    };
    let named = items.iter().filter(|item| name(item) == name(own)).count();
    assert_eq!(named, 1, "{list}");
}
