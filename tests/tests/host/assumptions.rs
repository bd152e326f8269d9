//! Servers that differ where the contract only assumes: every kind lives with all of them.

use terdut_simulator::{AccountAnswer, AccountLookup, Assumptions, NoPolicy, Options, Simulator};
use terdut_tests::host::{ImportBy, Profile};

use crate::kinds::{Kind, filled};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(it_lives_with_every_sort_of_server);

type Change = fn(&mut Assumptions);

const CHANGES: [(&str, Change); 8] = [
    ("repeated source names", |it| it.integration_names_unique = false),
    ("nested accounts", |it| it.account_answer = AccountAnswer::Nested),
    ("one account instead of a list", |it| it.account_lookup = AccountLookup::Object),
    ("no policy is {}", |it| it.no_policy = NoPolicy::EmptyObject),
    ("no policy has no levels", |it| it.no_policy = NoPolicy::NoLevels),
    ("pages of two", |it| it.page_size = Some(2)),
    ("fields that nobody knows", |it| it.extra_fields = true),
    ("sorted matchers", |it| it.canonical_matchers = true),
];

async fn it_lives_with_every_sort_of_server(first: Scene, kind: Kind) {
    first.world.close().await;
    for (name, change) in CHANGES {
        let mut options = Options::default();
        change(&mut options.assumptions);
        live(name, options, &kind).await;
    }
    let huge = Options { first_id: (1 << 53) + 1, ..Options::default() };
    live("ids above 2^53", huge, &kind).await;
}

async fn live(name: &str, options: Options, kind: &Kind) {
    let mut scene = Scene::against(Simulator::start(options), Profile::modern()).await;
    let kind = scene.kind(kind.type_name);
    scene.settle(&kind, &kind.small).await;
    let state = scene.settle(&kind, &kind.full).await;
    for form in &kind.imports {
        scene.world.forget(ADDRESS);
        let id = filled(form, &state);
        let imported = scene.world.import(ADDRESS, kind.type_name, ImportBy::Id(&id)).await;
        imported.unwrap_or_else(|failure| panic!("{name}: {id}: {failure}"));
        scene.settle(&kind, &kind.full).await;
    }
    let destroyed = scene.world.destroy(ADDRESS).await;
    destroyed.unwrap_or_else(|failure| panic!("{name}: {failure}"));
    scene.world.close().await;
}
