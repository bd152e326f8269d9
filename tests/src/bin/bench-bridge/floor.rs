//! The write floor: how fast the same writes go when nobody thinks about them.
//!
//! The bridge's own Kubernetes client writes what the bridge writes for each object, in the same
//! order and as many at once, and posts the same to a terdut server that is as slow. It reads
//! nothing, decides nothing and keeps no watch, so that a controller cannot be faster.

mod writer;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use terdut_bridge::crd::{
    TerdutAlertSource, TerdutDeadmanSwitch, TerdutEscalationRule, TerdutTeam,
};

use crate::mix::Mix;
use crate::observer::Observer;
use crate::place::{CONCURRENCY, Place};
use writer::Writer;

const WITHIN: Duration = Duration::from_mins(20);

/// What came of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Floor {
    pub(crate) objects: usize,
    pub(crate) seconds: f64,
}

/// Makes the objects, writes what the bridge would write, and takes them away.
pub(crate) async fn measure(place: &Place<'_>, mix: &Mix) -> Floor {
    let writer = Writer::prepare(place).await;
    let teams = place.create(Mix::teams()).await;
    let children = place.create(mix.children()).await;
    let observer = Observer::start(&place.admin);
    let started = Instant::now();
    let ids = write_teams(&writer, teams).await;
    write_children(&writer, &ids, &children).await;
    let last = observer.wait(mix.objects(), WITHIN).await;
    let seconds = last.duration_since(started).as_secs_f64();
    place.empty().await;
    Floor { objects: mix.objects(), seconds }
}

/// Ids on the terdut server by namespace.
type Ids = HashMap<String, i64>;

async fn write_teams(writer: &Writer, teams: Vec<Json>) -> Ids {
    let written = stream::iter(teams.into_iter().map(typed::<TerdutTeam>));
    written.map(|team| writer.team(team)).buffer_unordered(CONCURRENCY).collect().await
}

/// As many of each kind at once as the bridge works on.
async fn write_children(writer: &Writer, ids: &Ids, children: &[Json]) {
    let rules = stream::iter(of::<TerdutEscalationRule>(children));
    let switches = stream::iter(of::<TerdutDeadmanSwitch>(children));
    let sources = stream::iter(of::<TerdutAlertSource>(children));
    tokio::join!(
        rules.for_each_concurrent(CONCURRENCY, |rule| writer.rule(rule, ids)),
        switches.for_each_concurrent(CONCURRENCY, |switch| writer.switch(switch, ids)),
        sources.for_each_concurrent(CONCURRENCY, |source| writer.source(source, ids)),
    );
}

/// The objects of one kind.
fn of<K: terdut_bridge::crd::Kind>(objects: &[Json]) -> Vec<K> {
    let ours = objects.iter().filter(|object| object["kind"] == K::KIND);
    ours.cloned().map(typed).collect()
}

fn typed<K: DeserializeOwned>(object: Json) -> K {
    serde_json::from_value(object).expect("the API server answers what was sent")
}
