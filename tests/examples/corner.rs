//! A provider of corner cases: every kind of attribute, and objects that fail, panic or wait on
//! request. Only the suite of the plugin library runs it. It stores nothing and calls nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::LazyLock;

use terdut_plugin::prelude::*;
use terdut_plugin::serve::Mask;
use terdut_plugin::ty::Type;

terdut_plugin::model! {
    struct Inner { word: Attr<String>, mark: Attr<String>, kind: Attr<String> }

    struct Groups { member: Attr<String>, owner: Attr<String> }

    struct Thing {
        id: Attr<String>,
        name: Attr<String>,
        word: Attr<String>,
        size: Attr<i64>,
        note: Attr<String>,
        tags: Attr<BTreeMap<String, String>>,
        bag: Attr<BTreeSet<String>>,
        groups: Attr<Groups>,
        steps: Attr<Vec<Inner>>,
        shelf: Attr<BTreeMap<String, Inner>>,
        any: Attr<Value>,
        secret: Attr<Sensitive>,
        secret_version: Attr<i64>,
        secret_length: Attr<i64>,
        mood: Attr<String>,
    }
}

struct Corner;

/// What the log must not show.
static MASK: LazyLock<Mask> = LazyLock::new(Mask::new);

fn inner() -> [Attribute; 3] {
    [
        Attribute::string("word").required().equal_by(same_word).describe("A word."),
        Attribute::string("mark").computed().keep().describe("Made of the word."),
        Attribute::string("kind").optional().default_value("plain").describe("Its kind."),
    ]
}

fn same_word(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one.eq_ignore_ascii_case(other),
        _ => one == other,
    }
}

impl Thing {
    /// What the server would make of it: words in capitals, marks, nothing instead of empty.
    fn stored(mut self, secret: Option<usize>) -> Self {
        self.id = self.id.if_unknown("thing-1".into());
        self.word = self.word.map(|word| word.to_uppercase());
        for inner in self.steps.known_mut().into_iter().flatten() {
            inner.store();
        }
        for inner in self.shelf.known_mut().into_iter().flat_map(BTreeMap::values_mut) {
            inner.store();
        }
        if let Some(length) = secret {
            self.secret_length.set(i64::try_from(length).unwrap_or(i64::MAX));
        }
        self.secret_length = self.secret_length.if_unknown(Attr::Null);
        self.secret = Attr::Null;
        self
    }

    /// What the server would answer when asked later.
    fn answered(mut self) -> Self {
        self.word = self.word.map(|word| word.to_uppercase());
        self.note = match self.note {
            Attr::Known(note) if note.is_empty() => Attr::Null,
            other => other,
        };
        self.tags = match self.tags {
            Attr::Known(tags) if tags.is_empty() => Attr::Null,
            other => other,
        };
        if let Some(groups) = self.groups.known_mut() {
            groups.member = Attr::Null;
        }
        self
    }
}

impl Inner {
    fn store(&mut self) {
        let word = self.word.clone().unwrap_or_default();
        self.mark = self.mark.take().if_unknown(format!("<{word}>").into());
        self.word = self.word.take().map(|word| word.to_uppercase());
    }
}

impl Corner {
    async fn make(
        context: &Context<()>,
        planned: Thing,
        config: &Thing,
        mut private: Private,
    ) -> Outcome<Thing> {
        let mood = planned.mood.clone().unwrap_or_default();
        let clear = config.secret.known().map_or_else(String::new, |it| it.expose().to_owned());
        MASK.add(&clear);
        let secret = config.secret.known().map(|secret| secret.expose().len());
        private.set("made", &true);
        match mood.as_str() {
            "panic" => panic!("a corner case, {clear}, {context:?}, {config:?}"),
            "nothing" => Outcome::failed(Diagnostic::error("Not made", "Nothing was."), private),
            "half" => {
                let later = Diagnostic::error("Half made", "The second step failed.");
                let mut half = planned.stored(secret);
                half.secret_length = Attr::Unknown;
                Outcome::state(half, private).tell([later])
            }
            "slow" => {
                context.stop().cancelled().await;
                let stopped = Diagnostic::error("Stopped", "The host wanted an end.");
                Outcome::state(planned.stored(secret), private).tell([stopped])
            }
            "warn" => {
                let warning = Diagnostic::warning("Later", "The second step waits.");
                Outcome::state(planned.stored(secret), private).tell([warning])
            }
            _ => Outcome::state(planned.stored(secret), private),
        }
    }
}

impl Resource for Corner {
    type Model = Thing;
    type Data = ();

    fn type_name(&self) -> &'static str {
        "corner_thing"
    }

    fn schema(&self) -> Schema {
        Schema::new("Everything at once.").version(2).attributes([
            Attribute::string("id").computed().keep().describe("Its id."),
            Attribute::string("name").required().replace().describe("Its name."),
            Attribute::string("word").optional().equal_by(same_word).describe("Any case."),
            Attribute::number("size").optional().default_value(5).describe("Its size."),
            Attribute::string("note").optional().empty_is_null().describe("A note."),
            Attribute::string_map("tags").optional().empty_is_null().describe("Tags."),
            Attribute::of("bag", Type::Set(Box::new(Type::String))).optional().describe("A set."),
            Attribute::single(
                "groups",
                [
                    Attribute::string("member").optional().empty_is_null().describe("One."),
                    Attribute::string("owner").optional().empty_is_null().describe("Other."),
                ],
            )
            .optional()
            .empty_is_null()
            .describe("Groups."),
            Attribute::list("steps", inner()).optional().describe("A list."),
            Attribute::map("shelf", inner()).optional().describe("A map."),
            Attribute::of("any", Type::Dynamic).optional().describe("Of any type."),
            Attribute::string("secret").optional().write_only().describe("Never stored."),
            Attribute::number("secret_version").optional().describe("A new one sends it anew."),
            Attribute::number("secret_length").computed().keep().describe("Of the secret."),
            Attribute::string("mood").optional().describe("How to fail."),
        ])
    }

    fn plan(&self, _: &Context<()>, plan: &mut Plan<Thing>) {
        let before = plan.prior.as_ref().map(|prior| prior.secret_version);
        if before.is_some_and(|before| before != plan.planned.secret_version) {
            plan.planned.secret_length = Attr::Unknown;
        }
    }

    async fn create(&self, context: &Context<()>, it: Create<Thing>) -> Outcome<Thing> {
        Self::make(context, it.planned, &it.config, it.private).await
    }

    async fn read(&self, _: &Context<()>, it: Read<Thing>) -> Outcome<Thing> {
        match it.state.mood.known().map(String::as_str) {
            Some("gone") => Outcome::gone(),
            Some("unreadable") => {
                Outcome::failed(Diagnostic::error("Unreadable", "Try again."), it.private)
            }
            _ => Outcome::state(it.state.answered(), it.private),
        }
    }

    async fn update(&self, context: &Context<()>, it: Update<Thing>) -> Outcome<Thing> {
        Self::make(context, it.planned, &it.config, it.private).await
    }

    async fn delete(&self, _: &Context<()>, it: Delete<Thing>) -> Outcome<Thing> {
        match it.prior.mood.known().map(String::as_str) {
            Some("stays") => Outcome::failed(Diagnostic::error("Stays", "It is used."), it.private),
            _ => Outcome::gone(),
        }
    }
}

impl Import for Corner {
    async fn import(&self, _: &Context<()>, by: ImportBy) -> Result<Thing, Diagnostics> {
        let id = match by {
            ImportBy::Id(id) => id,
            ImportBy::Identity(identity) => match identity.attribute("id") {
                Some(Value::String(id)) => id.clone(),
                _ => return Err(Diagnostic::error("No id", "The identity has none.").into()),
            },
        };
        Ok(Thing { id: id.into(), name: "imported".into(), ..Thing::default() })
    }
}

impl HasIdentity for Corner {
    fn identity_schema(&self) -> IdentitySchema {
        IdentitySchema::new([IdentityAttribute::string("id", "Its id.")])
    }

    fn identity(&self, (): &(), state: &Thing) -> Option<Value> {
        let id = state.id.known()?;
        Some(Value::object([("id", id.as_str().into())]))
    }
}

impl terdut_plugin::resource::UpgradeState for Corner {
    fn upgrade_state(
        &self,
        _: i64,
        mut state: serde_json::Value,
    ) -> Result<serde_json::Value, Diagnostics> {
        if let Some(attributes) = state.as_object_mut()
            && let Some(label) = attributes.remove("label")
        {
            attributes.insert("name".to_owned(), label);
        }
        Ok(state)
    }
}

struct Corners;

impl Provider for Corners {
    type Config = ();
    type Data = ();

    fn source(&self) -> &'static str {
        "example/corner"
    }

    fn schema(&self) -> Schema {
        Schema::new("Corner cases.")
    }

    async fn configure(&self, (): (), _: &mut Diagnostics) -> Option<()> {
        Some(())
    }

    fn register(&self, registry: &mut Registry<()>) {
        registry.resource(ResourceEntry::new(Corner).importable().identified().upgradable());
    }
}

fn main() -> ExitCode {
    let mut options = ServeOptions::new("corner", "example/corner");
    options.mask = MASK.clone();
    serve(Engine::new(Corners), &options)
}
