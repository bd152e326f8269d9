//! A bridge that is killed between an act and its answer: the next one finds what was done.

use std::time::Duration;

use terdut_tests::cluster::{Filter, Moment, kind};

use super::stage::{Stage, TEAM};

const SOON: Duration = Duration::from_mins(1);

#[tokio::test]
async fn a_team_whose_answer_was_lost_with_the_bridge_is_not_made_twice() {
    let Some(stage) = Stage::with_key().await else { return };
    let posts = Filter::terdut().verb("post").of("/api/teams");
    stage.site.traffic.kill_at(posts.clone(), 1, Moment::After);
    stage.apply(&stage.team()).await;
    let status = stage.bridge.process().wait(SOON).await;
    assert_eq!(status.code(), None, "a signal ended it: {status}");
    assert_eq!(stage.simulator.state().team_count(), 1, "the server had acted");
    let next = stage.site.start().await;
    stage.ready(kind::TEAM, TEAM).await;
    assert_eq!(stage.simulator.state().team_count(), 1);
    assert_eq!(stage.site.traffic.count(&posts), 1);
    next.stop_well().await;
}
