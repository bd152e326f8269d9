//! What a policy may hold.

use super::{
    DesiredEscalationRule, DesiredLevel, DesiredTarget, EscalationRuleInput, LevelInput,
    TargetInput, TargetKind,
};
use crate::model::check::{self, missing, note};
use crate::problem::{Findings, Path, Problem};
use crate::value::{Field, Input, LEVEL_TIMEOUT, Name};

/// The most levels, and the most targets of one.
const MOST: usize = 20;
/// The highest repeat count.
const MOST_REPEATS: i64 = 100;

impl EscalationRuleInput {
    /// The wish, or all that is wrong with it. Whether the people exist is seen at apply.
    pub fn validate(&self, findings: &mut Findings) -> Option<DesiredEscalationRule> {
        let team = check::team(findings, &self.team_id);
        let repeat_count = repeats(findings, &self.repeat_count);
        let path = Path::of("fallback_topic");
        let fallback_topic = check::text(findings, &path, &self.fallback_topic);
        let levels = list(findings, &Path::of("levels"), &self.levels, level);
        Some(DesiredEscalationRule {
            team: team?,
            repeat_count: repeat_count?,
            fallback_topic: fallback_topic?,
            levels: levels?,
        })
    }
}

fn repeats(findings: &mut Findings, input: &Input<i64>) -> Option<Field<i64>> {
    match input {
        Input::Absent => Some(Field::Known(0)),
        Input::Unknown => Some(Field::Unknown),
        Input::Given(count) => {
            let fault = || format!("{count} is outside 0 to {MOST_REPEATS}");
            let checked =
                if (0..=MOST_REPEATS).contains(count) { Ok(*count) } else { Err(fault()) };
            note(findings, &Path::of("repeat_count"), checked).map(Field::Known)
        }
    }
}

/// A required list of 1 to 20 elements, all of which are checked.
fn list<I, D>(
    findings: &mut Findings,
    path: &Path,
    input: &Input<Vec<Input<I>>>,
    check: impl Fn(&mut Findings, &Path, &I) -> Option<D>,
) -> Option<Field<Vec<Field<D>>>> {
    let items = match input {
        Input::Absent => return missing(findings, path),
        Input::Unknown => return Some(Field::Unknown),
        Input::Given(items) => items,
    };
    let count = match items.len() {
        1..=MOST => Ok(()),
        count => Err(format!("it has {count} elements: 1 to {MOST} are allowed")),
    };
    let counted = note(findings, path, count);
    let mut checked = Vec::new();
    for (position, item) in items.iter().enumerate() {
        let path = path.index(position);
        checked.push(match item {
            Input::Absent => missing(findings, &path),
            Input::Unknown => Some(Field::Unknown),
            Input::Given(item) => check(findings, &path, item).map(Field::Known),
        });
    }
    counted?;
    checked.into_iter().collect::<Option<_>>().map(Field::Known)
}

fn level(findings: &mut Findings, path: &Path, input: &LevelInput) -> Option<DesiredLevel> {
    let timeout = check::duration(findings, &path.field("timeout"), &input.timeout, LEVEL_TIMEOUT);
    let targets = list(findings, &path.field("targets"), &input.targets, target);
    Some(DesiredLevel { timeout: timeout?, targets: targets? })
}

fn target(findings: &mut Findings, path: &Path, input: &TargetInput) -> Option<DesiredTarget> {
    let kind = kind(findings, &path.field("kind"), &input.kind);
    let at = path.field("username");
    let username = username(findings, &at, &input.username);
    pairs(findings, at, kind.as_ref(), &input.username);
    Some(DesiredTarget { kind: kind?, username: username? })
}

fn kind(findings: &mut Findings, path: &Path, input: &Input<String>) -> Option<Field<TargetKind>> {
    let text = match input {
        Input::Absent => return missing(findings, path),
        Input::Unknown => return Some(Field::Unknown),
        Input::Given(text) => text,
    };
    let kind = match text.as_str() {
        "oncall" => Ok(TargetKind::OnCall),
        "user" => Ok(TargetKind::User),
        other => Err(format!("{other:?} is no kind of target: write \"oncall\" or \"user\"")),
    };
    note(findings, path, kind).map(Field::Known)
}

/// Absent and empty mean the same.
fn username(
    findings: &mut Findings,
    path: &Path,
    input: &Input<String>,
) -> Option<Field<Option<Name>>> {
    match input {
        Input::Unknown => Some(Field::Unknown),
        Input::Given(text) if !text.is_empty() => {
            note(findings, path, text.parse()).map(|name| Field::Known(Some(name)))
        }
        Input::Given(_) | Input::Absent => Some(Field::Known(None)),
    }
}

/// A person is named if and only if the kind is user.
fn pairs(
    findings: &mut Findings,
    path: Path,
    kind: Option<&Field<TargetKind>>,
    username: &Input<String>,
) {
    let named = match username {
        Input::Unknown => return,
        Input::Absent => false,
        Input::Given(text) => !text.is_empty(),
    };
    let detail = match (kind, named) {
        (Some(Field::Known(TargetKind::User)), false) => "The kind is \"user\": name the person.",
        (Some(Field::Known(TargetKind::OnCall)), true) => {
            "The kind is \"oncall\": whoever is on call is paged, so no person can be named."
        }
        _ => return,
    };
    // Hosts show no place below a nested attribute, so the text names it.
    let detail = format!("{path}: {detail}");
    findings.error(Problem::new(path, "Kind and username do not fit", detail));
}
