//! `terdut_deadman_switch`: an alert for a heartbeat that stops.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{Attribute, AttributeConstraint, AttributeType, Block, Schema};
use tf_provider::value::{Value, ValueEmpty, ValueString};
use tf_provider::{AttributePath, Diagnostics, Resource, map};

use crate::client::{Client, NewSwitch};
use crate::provider::Configured;

#[derive(Debug)]
pub struct SwitchResource {
    client: Configured,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SwitchState<'a> {
    #[serde(borrow = "'a")]
    pub id: ValueString<'a>,
    pub team_id: ValueString<'a>,
    pub name: ValueString<'a>,
    pub matcher: ValueString<'a>,
    pub timeout: ValueString<'a>,
    pub severity: ValueString<'a>,
}

impl SwitchResource {
    pub fn new(client: Configured) -> Self {
        Self { client }
    }

    fn client(&self, diags: &mut Diagnostics) -> Option<&Client> {
        let client = self.client.get();
        if client.is_none() {
            diags.root_error_short("The provider is not configured");
        }
        client
    }
}

type Answer<'a> = Option<(SwitchState<'a>, ValueEmpty)>;

#[async_trait]
impl Resource for SwitchResource {
    type State<'a> = SwitchState<'a>;
    type PrivateState<'a> = ValueEmpty;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        use AttributeConstraint::{Computed, OptionalComputed, Required};
        let text = |description: &str, constraint| Attribute {
            attr_type: AttributeType::String,
            description: description.into(),
            constraint,
            ..Default::default()
        };
        let attributes = map! {
            "id" => text("Id of the dead man's switch.", Computed),
            "team_id" => text("Id of its team.", Required),
            "name" => text("Name, unique in the team.", Required),
            "matcher" => text("Labels of the heartbeat.", Required),
            "timeout" => text("How long it may be silent.", Required),
            "severity" => text("Severity of the alert.", OptionalComputed),
        };
        let description = "An alert for a heartbeat that stops.".into();
        Some(Schema { version: 0, block: Block { attributes, description, ..Block::default() } })
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        mut state: SwitchState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Answer<'a> {
        let client = self.client(diags)?;
        match client.find(text(&state.team_id), text(&state.id)).await {
            Ok(found) => {
                let found = found?;
                state.name = Value::Value(found.name.into());
                state.matcher = Value::Value(found.matcher.into());
                state.timeout = Value::Value(found.timeout.into());
                state.severity = Value::Value(found.severity.into());
            }
            Err(error) => diags.root_error("The switch was not read", format!("{error:#}")),
        }
        Some((state, private))
    }

    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        mut proposed: SwitchState<'a>,
        config: SwitchState<'a>,
        _: ValueEmpty,
    ) -> Answer<'a> {
        proposed.id = Value::Unknown;
        if config.severity.is_null() {
            proposed.severity = Value::Value("critical".into());
        }
        Some((proposed, Value::Null))
    }

    async fn plan_update<'a>(
        &self,
        _: &mut Diagnostics,
        prior: SwitchState<'a>,
        mut proposed: SwitchState<'a>,
        config: SwitchState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(SwitchState<'a>, ValueEmpty, Vec<AttributePath>)> {
        if config.severity.is_null() {
            proposed.severity = Value::Value("critical".into());
        }
        let fields = [
            ("team_id", &prior.team_id, &proposed.team_id),
            ("name", &prior.name, &proposed.name),
            ("matcher", &prior.matcher, &proposed.matcher),
            ("timeout", &prior.timeout, &proposed.timeout),
            ("severity", &prior.severity, &proposed.severity),
        ];
        let changed = fields.into_iter().filter(|(_, prior, proposed)| prior != proposed);
        let replace: Vec<_> = changed.map(|(name, ..)| AttributePath::new(name)).collect();
        if !replace.is_empty() {
            proposed.id = Value::Unknown;
        }
        Some((proposed, private, replace))
    }

    async fn plan_destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: SwitchState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<ValueEmpty> {
        Some(private)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        mut planned: SwitchState<'a>,
        _: SwitchState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Answer<'a> {
        let client = self.client(diags)?;
        let wanted = NewSwitch {
            name: text(&planned.name),
            matcher: text(&planned.matcher),
            timeout: text(&planned.timeout),
            severity: text(&planned.severity),
        };
        match client.create(text(&planned.team_id), &wanted).await {
            Ok(made) => {
                planned.id = Value::Value(made.id.to_string().into());
                Some((planned, private))
            }
            Err(error) => {
                diags.root_error("The switch was not created", format!("{error:#}"));
                None
            }
        }
    }

    /// Every change of a switch replaces it.
    async fn update<'a>(
        &self,
        _: &mut Diagnostics,
        _: SwitchState<'a>,
        planned: SwitchState<'a>,
        _: SwitchState<'a>,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Answer<'a> {
        Some((planned, private))
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        state: SwitchState<'a>,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<()> {
        let client = self.client(diags)?;
        if let Err(error) = client.remove(text(&state.team_id), text(&state.id)).await {
            diags.root_error("The switch was not deleted", format!("{error:#}"));
        }
        Some(())
    }
}

fn text<'v>(value: &'v ValueString<'_>) -> &'v str {
    match value {
        Value::Value(text) => text,
        _ => "",
    }
}
