//! The host's rules by name, and the list that broken ones are gathered in.
//!
//! The submodules judge answers and only ever add to [`Violations`]; the caller decides when to
//! fail. A rule without a test that refuses a bad answer is no rule.

pub(super) mod asking;
pub(super) mod identity;
pub(super) mod plan;
pub(super) mod result;
pub(super) mod state;

use std::fmt;

use super::value::Path;

macro_rules! rules {
    ($($name:ident = $text:literal,)+) => {
        #[expect(clippy::doc_markdown, reason = "the sentences are printed too")]
        /// A rule of the protocol which the core enforces or relies on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule { $(#[doc = $text] $name,)+ }

        impl Rule {
            /// Every rule.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The rule in a sentence.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }
        }
    };
}

rules! {
    Handshake = "one line: core 1, protocol 6, unix, a path, grpc, a certificate iff the host sent one",
    Stdout = "nothing follows the handshake line on stdout",
    Alpn = "the TLS session speaks h2",
    Health = "the health service says SERVING for the service `plugin`",
    Shutdown = "after Shutdown the process ends within two seconds and removes its socket",
    LogLine = "a log line is JSON with string @level, @message, @timestamp (six decimals), below 64 KiB",
    Rpc = "an RPC answers; problems are diagnostics, never a gRPC failure",
    DiagnosticSeverity = "a diagnostic is an error or a warning and has a summary",
    DiagnosticPath = "the attribute path of a diagnostic exists in the schema",
    SchemaBlock = "a schema has a block and a version that is not negative",
    SchemaName = "names are made of a-z, 0-9 and _, occur once and are not reserved",
    SchemaMode = "an attribute is required, optional or computed; required excludes the others",
    SchemaType = "an attribute has either a type or a nested type",
    SchemaWriteOnly = "a write-only attribute is configurable, not computed and not inside a set",
    SchemaSet = "nothing dynamic is inside a set",
    SchemaNesting = "a nesting mode is given and its counts fit it",
    SchemaMetadata = "GetMetadata and GetProviderSchema name the same things",
    Wire = "an answer is MessagePack of exactly the schema's type",
    LegacyTypeSystem = "legacy_type_system stays false",
    Deferred = "nothing is deferred for a host that did not allow it",
    PlanExistence = "the planned state is null if and only if the configuration is null",
    PlanConfigured = "a configured attribute is planned as configured, or as it was if both are set",
    PlanNotComputed = "an attribute that is neither configured nor computed is planned null",
    PlanObject = "a configured nested object is planned as an object: not null, not wholly unknown",
    PlanCount = "nested objects are planned in the configured number and under the configured keys",
    PlanBlock = "blocks are empty instead of null, and unknown only where configured so",
    PlanDeterministic = "the same questions have the same planned answer",
    PlanReplacePath = "a requires_replace path leads to an attribute",
    PlanFinal = "the plan made while applying keeps every known value of the first plan",
    PlanAction = "the plan made while applying keeps the action; only an update may become nothing",
    PlanDestroy = "a destroy plan is null",
    ResultKnown = "a state has no unknown value",
    ResultExistence = "create and update return an object, delete returns null",
    ResultPlanned = "apply returns every known planned value",
    ResultRefined = "what a plan promised of an unknown value holds",
    WriteOnly = "a write-only attribute is null in every answer",
    WriteOnlyRefused = "a write-only value is refused when the host cannot keep it out of the state",
    Private = "private data that was handed over is handed back",
    IdentitySchema = "an identity is one flat object of primitives and lists of primitives",
    IdentityType = "an identity has the declared type; none is returned where none is declared",
    IdentityKnown = "an identity is wholly known except in the plan of a create or a replace",
    IdentityEcho = "an identity that was handed over is handed back",
    IdentityStable = "an identity never changes, except where declared mutable",
    ImportOne = "an import returns exactly one object of the type, not null",
    MoveObject = "a moved state is an object, or an error says why not",
    UpgradeShape = "an upgrade of a state of the present version changes nothing",
    AskingSchema = "a list is of a kind that has an identity; lists and actions compute nothing",
    ListIdentity = "an event of a list has an identity and a name, or tells something",
    ListObject = "a listed object comes whole if it was asked for, and only then",
    ListOnce = "an object is listed once",
    ListLimit = "a list has no more objects than were asked for",
    ListEnd = "an error ends a list",
    ActionEnd = "an action's last event, and no other, completes it",
    ActionProgress = "a message of an action says something",
    DataObject = "a data source returns an object",
    SecretLeak = "no diagnostic and no log line shows a sensitive value",
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?} ({})", self.text())
    }
}

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// Where in the value.
    pub path: Path,
    /// What was found.
    pub found: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "host rule {}: `{}` {}", self.rule, self.path, self.found)
    }
}

/// Broken rules, gathered.
#[derive(Debug, Clone, Default)]
pub struct Violations(pub Vec<Violation>);

impl Violations {
    /// Adds one.
    pub fn add(&mut self, rule: Rule, path: &Path, found: &str) {
        self.0.push(Violation { rule, path: path.clone(), found: found.to_owned() });
    }

    /// Adds one for the whole value.
    pub fn add_root(&mut self, rule: Rule, found: &str) {
        self.add(rule, &Path::root(), found);
    }

    /// Fails if there is any.
    ///
    /// # Panics
    /// With every broken rule, if there is one.
    #[track_caller]
    pub fn expect_none(&self, during: &str) {
        let lines: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        assert!(self.0.is_empty(), "during {during}:\n{}", lines.join("\n"));
    }

    /// Fails unless there is at least one and all are of this rule.
    ///
    /// # Panics
    /// If no rule or another one was broken.
    #[track_caller]
    pub fn expect_only(&self, rule: Rule) {
        let others: Vec<_> = self.0.iter().filter(|found| found.rule != rule).collect();
        assert!(!self.0.is_empty(), "nothing was found wrong, {rule} was expected");
        assert!(others.is_empty(), "instead of {rule}: {others:?}");
    }
}
