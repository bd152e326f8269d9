//! Lists and actions: streams, their ends, and what a host that hangs up leaves behind.

use futures::StreamExt;
use proto::invoke_action::event::Type as What;
use tonic::codegen::BoxStream;

use super::*;

crate::model! {
    pub(super) struct Filter {
        pub(super) prefix: Attr<String>,
    }

    pub(super) struct Knocks {
        pub(super) times: Attr<i64>,
        pub(super) door: Attr<String>,
    }
}

/// Lists three things; the prefix says how it goes wrong after them.
pub(super) struct ListThings;

impl ListResource for ListThings {
    type Config = Filter;
    type Object = Thing;
    type Data = String;

    fn type_name(&self) -> &'static str {
        "test_thing"
    }

    fn schema(&self) -> Schema {
        Schema::new("Things.").attribute(Attribute::string("prefix").optional())
    }

    fn validate(&self, config: &Filter, diagnostics: &mut Diagnostics) {
        if config.prefix.as_deref() == Some("bad") {
            diagnostics.error_at("prefix", "Invalid prefix", "It is bad.");
        }
    }

    async fn list(
        &self,
        context: &Context<String>,
        config: Filter,
        listing: &mut Listing<Thing>,
    ) -> Result<(), Diagnostics> {
        let mode = config.prefix.unwrap_or_default();
        for id in ["1", "2", "3"] {
            let thing = Thing {
                id: id.into(),
                name: Attr::Unknown,
                secret_wo: Attr::Known("canary".into()),
                ..Thing::default()
            };
            if listing.add(format!("thing {id}"), thing).await.is_break() {
                return Ok(());
            }
        }
        match mode.as_str() {
            "error" => return Err(Diagnostic::error("No", "No more.").into()),
            "panic" => panic_now(),
            "warn" => listing.warn(Diagnostic::warning("Few", "There are few.")).await,
            "hang" => context.stop().cancelled().await,
            _ => {}
        }
        Ok(())
    }
}

/// Knocks as often as it is told to.
pub(super) struct Knock;

impl Action for Knock {
    type Model = Knocks;
    type Data = String;

    fn type_name(&self) -> &'static str {
        "test_knock"
    }

    fn schema(&self) -> Schema {
        Schema::new("A knock.")
            .attribute(Attribute::number("times").required())
            .attribute(Attribute::string("door").optional().sensitive())
    }

    fn validate(&self, config: &Knocks, diagnostics: &mut Diagnostics) {
        if config.times.known().is_some_and(|times| *times < 1) {
            diagnostics.error_at("times", "Invalid times", "Once at least.");
        }
    }

    fn plan(&self, url: &Context<String>, config: &Knocks, diagnostics: &mut Diagnostics) {
        if config.door.is_null() {
            diagnostics.warning("No door", format!("Knocking at {}.", url.data()));
        }
    }

    async fn invoke(
        &self,
        _: &Context<String>,
        config: Knocks,
        progress: &Progress,
        diagnostics: &mut Diagnostics,
    ) {
        for knock in 1..=config.times.unwrap_or_default() {
            progress.say(format!("knock {knock}")).await;
        }
        match config.door.as_deref() {
            Some("panic") => panic_now(),
            Some("closed") => diagnostics.error("Closed", "Nobody is there."),
            _ => {}
        }
    }
}

async fn all<T>(events: BoxStream<T>) -> Vec<T> {
    events.map(Result::unwrap).collect().await
}

#[expect(clippy::unnecessary_wraps, reason = "it reads better at a field of a request")]
fn filter(prefix: &str) -> Option<proto::DynamicValue> {
    let value = Value::object([("prefix", prefix.into())]);
    Some(codec::encode(&value, &ListThings.schema().ty()).unwrap())
}

async fn listed(prefix: &str, whole: bool, limit: i64) -> Vec<proto::list_resource::Event> {
    let request = proto::list_resource::Request {
        type_name: "test_thing".to_owned(),
        config: filter(prefix),
        include_resource_object: whole,
        limit,
    };
    all(engine().await.list_resource(Request::new(request)).await.unwrap().into_inner()).await
}

#[tokio::test]
async fn a_list_tells_names_and_identities_and_objects_only_if_asked() {
    for whole in [false, true] {
        let events = listed("", whole, 0).await;
        let names: Vec<_> = events.iter().map(|event| event.display_name.as_str()).collect();
        assert_eq!(names, ["thing 1", "thing 2", "thing 3"]);
        let data = events[0].identity.as_ref().and_then(|data| data.identity_data.as_ref());
        let identity = codec::decode(data, &Things.identity_schema().ty()).unwrap();
        assert_eq!(identity, Value::object([("id", "1".into()), ("url", "https://one".into())]));
        let object = events[0].resource_object.as_ref();
        assert_eq!(object.is_some(), whole);
        // Neither unknown nor write-only values leave.
        let expected = if whole { thing(&[("id", "1".into())]) } else { Value::Null };
        assert_eq!(read_wire(object), expected);
    }
}

#[tokio::test]
async fn a_list_ends_at_its_limit() {
    assert_eq!(listed("error", false, 2).await.len(), 2);
    let exact = listed("error", false, 3).await;
    assert!(exact.len() == 3 && exact.iter().all(|event| event.diagnostic.is_empty()));
}

#[tokio::test]
async fn what_goes_wrong_later_is_an_event_after_what_was_found() {
    for (prefix, summary) in [("error", "No"), ("panic", "The provider has a bug"), ("warn", "Few")]
    {
        let events = listed(prefix, false, 100).await;
        assert_eq!(events.len(), 4, "{prefix}");
        assert_eq!(summaries(&events[3].diagnostic), [summary]);
        assert!(events[3].identity.is_none() && !events[3].diagnostic[0].detail.contains("canary"));
    }
}

#[tokio::test]
async fn a_host_that_hangs_up_ends_the_list() {
    let (engine, request) = (
        engine().await,
        proto::list_resource::Request {
            type_name: "test_thing".to_owned(),
            config: filter("hang"),
            ..proto::list_resource::Request::default()
        },
    );
    let mut events = engine.list_resource(Request::new(request)).await.unwrap().into_inner();
    assert!(events.next().await.is_some());
    drop(events);
    let idle = || tokio::runtime::Handle::current().metrics().num_alive_tasks() == 0;
    while !idle() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_list_without_settings_and_one_of_an_unknown_kind_are_answered() {
    let engine = engine().await;
    for (config, type_name, count, errors) in [
        (None, "test_thing", 3, 0),
        (Some(codec::encode(&Value::Null, &ListThings.schema().ty()).unwrap()), "test_thing", 3, 0),
        (None, "test_other", 1, 1),
    ] {
        let request = proto::list_resource::Request {
            type_name: type_name.to_owned(),
            config,
            ..proto::list_resource::Request::default()
        };
        let answer = engine.list_resource(Request::new(request)).await.unwrap().into_inner();
        let events = all(answer).await;
        let told = events.iter().filter(|event| !event.diagnostic.is_empty()).count();
        assert_eq!((events.len(), told), (count, errors), "{type_name}");
    }
}

#[tokio::test]
async fn a_list_is_checked_before_it_is_asked_for() {
    let engine = engine().await;
    let number = |value: Value| Some(codec::encode(&value, &crate::ty::Type::Number).unwrap());
    for (prefix, limit, expected) in [
        ("a", number(10.into()), vec![]),
        ("a", number(Value::UNKNOWN), vec![]),
        ("bad", number((-1).into()), vec!["Invalid limit", "Invalid prefix"]),
    ] {
        let request = proto::validate_list_resource_config::Request {
            type_name: "test_thing".to_owned(),
            config: filter(prefix),
            limit,
            ..proto::validate_list_resource_config::Request::default()
        };
        let answer = engine.validate_list_resource_config(Request::new(request)).await.unwrap();
        assert_eq!(summaries(&answer.into_inner().diagnostics), expected);
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it reads better at a field of a request")]
fn knocks(times: Value, door: &str) -> Option<proto::DynamicValue> {
    let door = if door.is_empty() { Value::Null } else { door.into() };
    let value = Value::object([("times", times), ("door", door)]);
    Some(codec::encode(&value, &Knock.schema().ty()).unwrap())
}

/// Messages, and the summaries at the end.
async fn invoked(config: Option<proto::DynamicValue>) -> (Vec<String>, Vec<String>) {
    let request = proto::invoke_action::Request {
        action_type: "test_knock".to_owned(),
        config,
        ..proto::invoke_action::Request::default()
    };
    let engine = engine().await;
    let answer = engine.invoke_action(Request::new(request)).await.unwrap().into_inner();
    let mut events = all(answer).await;
    let Some(What::Completed(end)) = events.pop().and_then(|event| event.r#type) else {
        panic!("the last event is no end")
    };
    let message = |event: proto::invoke_action::Event| match event.r#type {
        Some(What::Progress(progress)) => progress.message,
        other => panic!("{other:?} before the end"),
    };
    let ends = summaries(&end.diagnostics).into_iter().map(str::to_owned).collect();
    (events.into_iter().map(message).collect(), ends)
}

#[tokio::test]
async fn an_action_tells_how_far_it_is_and_ends_once() {
    for (door, end) in
        [("x", None), ("closed", Some("Closed")), ("panic", Some("The provider has a bug"))]
    {
        let (messages, ends) = invoked(knocks(2.into(), door)).await;
        assert_eq!(messages, ["knock 1", "knock 2"], "{door}");
        assert_eq!(ends.first().map(String::as_str), end);
    }
    // More than wait for a slow host.
    assert_eq!(invoked(knocks(100.into(), "x")).await.0.len(), 100);
}

#[tokio::test]
async fn an_action_begins_only_with_what_is_known_and_good() {
    for (times, summary) in [(Value::UNKNOWN, "Value not known yet"), (0.into(), "Invalid times")] {
        let (messages, ends) = invoked(knocks(times, "x")).await;
        assert!(messages.is_empty() && ends == [summary], "{ends:?}");
    }
}

#[tokio::test]
async fn an_action_is_checked_and_planned_with_what_is_not_known_yet() {
    let engine = engine().await;
    for (config, checked, planned) in [
        (knocks(Value::UNKNOWN, "x"), vec![], vec![]),
        (knocks(0.into(), "x"), vec!["Invalid times"], vec!["Invalid times"]),
        (knocks(1.into(), ""), vec![], vec!["No door"]),
    ] {
        let request = proto::validate_action_config::Request {
            action_type: "test_knock".to_owned(),
            config: config.clone(),
        };
        let answer = engine.validate_action_config(Request::new(request)).await.unwrap();
        assert_eq!(summaries(&answer.into_inner().diagnostics), checked);
        let request = proto::plan_action::Request {
            action_type: "test_knock".to_owned(),
            config,
            ..proto::plan_action::Request::default()
        };
        let answer = engine.plan_action(Request::new(request)).await.unwrap().into_inner();
        assert!(answer.deferred.is_none());
        assert_eq!(summaries(&answer.diagnostics), planned);
    }
}

#[test]
fn an_author_is_told_of_a_list_without_a_resource_and_of_what_is_computed() {
    struct Lonely;

    impl Provider for Lonely {
        type Config = ();
        type Data = String;

        fn source(&self) -> &'static str {
            "example/lonely"
        }

        fn schema(&self) -> Schema {
            Schema::new("").attribute(Attribute::string("url").optional())
        }

        async fn configure(&self, (): (), _: &mut Diagnostics) -> Option<String> {
            None
        }

        fn register(&self, registry: &mut Registry<String>) {
            registry.list_resource(ListThings);
        }
    }

    let faults = Engine::new(Lonely).schema_faults();
    assert_eq!(faults, ["list test_thing: no resource with an identity"]);
    assert_eq!(Engine::new(Test).schema_faults(), Vec::<String>::new());
}
