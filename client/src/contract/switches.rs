//! Dead man's switches.

use terdut_core::api::{NewSwitch, Request};
use terdut_core::ids::{SwitchId, TeamId};

use super::checks;
use super::shape;
use super::walk::{Form, Walk, id};

/// Neither sorted nor squeezed.
const MATCHER: &str = "b=2, a=1";

impl Walk {
    /// Leaves a switch in the team: its deletion has to take it along.
    pub(super) async fn switches(&mut self, team: TeamId) {
        let client = self.client.clone();
        let form = (201, Form::One(shape::SWITCH));
        let create = |name: &str| Request::CreateSwitch { team, switch: switch(name) };
        let made = self.ask(checks::SWITCH_CREATE, &client, create("one"), form).await;
        let list = (200, Form::List(shape::SWITCH));
        self.ask(checks::SWITCHES, &client, Request::ListSwitches { team }, list).await;
        let Some(made) = made else { return };
        let (timeout, matcher) = (&made["timeout"], &made["matcher"]);
        self.judge(checks::SWITCH_TIMEOUT, *timeout == "1h30m0s", &timeout.to_string());
        self.judge(checks::MATCHER, *matcher == MATCHER, &matcher.to_string());
        self.refused(checks::SWITCH_TAKEN, &client, create("one"), 409).await;
        let Some(id) = id(&made) else { return };
        let delete = |id: i64| Request::DeleteSwitch { team, switch: SwitchId(id) };
        self.ask(checks::SWITCH_DELETE, &client, delete(id), (204, Form::Any)).await;
        self.refused(checks::NO_OBJECT, &client, delete(id), 404).await;
        self.ask(checks::SWITCH_CREATE, &client, create("two"), form).await;
    }
}

fn switch(name: &str) -> NewSwitch {
    NewSwitch {
        name: format!("terdut-contract-{name}"),
        matcher: MATCHER.to_owned(),
        timeout: "90m".to_owned(),
        severity: "info".to_owned(),
    }
}
