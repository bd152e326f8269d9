//! Whether state and server are true after a deed under a fault, and what became of it.

use serde_json::Value as Json;
use terdut_tests::host::{Diagnostic, Failure};

use super::deed::Deed;
use super::hit::Hit;
use super::sort::Sort;
use super::stage::{Ended, Stage};
use super::truth::{Truth, is_at, path_of};
use crate::scene::ADDRESS;

/// What became of a deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Became {
    /// It was done.
    Done,
    /// It was done, with a warning of what is left to do.
    Warned,
    /// An error, and nothing had changed.
    Failed,
    /// An error, and a part of it was done; the next run does the rest.
    Begun,
    /// An error that says that the object may have been made.
    Unsure,
    /// It was said that there is no such object.
    Absent,
}

impl Became {
    pub(crate) fn letter(self) -> char {
        match self {
            Self::Done => '·',
            Self::Warned => 'w',
            Self::Failed => 'e',
            Self::Begun => 'p',
            Self::Unsure => 'm',
            Self::Absent => 'n',
        }
    }
}

/// What a provider says where it cannot know whether something of its own is left.
const UNSURE: [&str; 3] = [
    "It could not be looked up after that, so it may have been made.",
    "It was looked for and is not there yet, but may still appear.",
    "One that nobody holds may be left: remove it by hand.",
];

/// What it says of something of its own that it knows to be left, with the id.
const LEFT: [&str; 2] = ["could not be removed: ", "came up meanwhile and were not removed: ids "];

fn unsure<'a>(mut told: impl Iterator<Item = &'a Diagnostic>) -> bool {
    told.any(|one| UNSURE.iter().chain(&LEFT).any(|text| one.says(text)))
}

/// Whether it is told that the object at a path is left.
fn is_told(path: &str, ended: &Ended) -> bool {
    let told = match ended {
        Ok(told) => told,
        Err(failure) => &failure.diagnostics,
    };
    let id = path.rsplit('/').next().unwrap_or_default();
    let mut numbers = told.iter().flat_map(|one| {
        let words = one.detail.split(|c: char| !c.is_ascii_digit());
        words.filter(|_| LEFT.iter().any(|text| one.says(text)))
    });
    told.iter().any(|one| UNSURE.iter().any(|text| one.says(text)))
        || numbers.any(|number| number == id)
}

/// Whether the next run may find something of that name.
pub(crate) fn may_have_made(ended: &Ended) -> bool {
    match ended {
        Ok(told) => unsure(told.iter()),
        Err(failure) => unsure(failure.diagnostics.iter()),
    }
}

/// What became of it; `Err` is what is not true.
pub(crate) fn judge(
    stage: &Stage,
    hits: &[&Hit],
    before: &Truth,
    ended: &Ended,
) -> Result<Became, String> {
    let after = Truth::look(&stage.scene.simulator);
    if let Err(failure) = ended {
        names_object_and_cause(stage, hits, failure)?;
    }
    others_are_untouched(stage, before, &after, ended)?;
    if stage.deed.only_reads() {
        return reading(stage, hits, before, &after, ended);
    }
    if stage.scene.world.is_tainted(ADDRESS) {
        return Err("it is tainted".to_owned());
    }
    let there = stage.objects(&after);
    if is_own_word_for_none(stage, hits) && ended.is_ok() && stage.deed == Deed::Destroy {
        return Ok(if there.is_empty() { Became::Done } else { Became::Absent });
    }
    is_true(&there, before, stage, ended)?;
    Ok(match ended {
        Ok(told) if told.iter().any(Diagnostic::is_warning) => Became::Warned,
        Ok(_) => Became::Done,
        Err(_) if may_have_made(ended) => Became::Unsure,
        Err(_) if after == *before => Became::Failed,
        Err(_) => Became::Begun,
    })
}

/// How a server says that a team has no policy.
fn is_own_word_for_none(stage: &Stage, hits: &[&Hit]) -> bool {
    stage.kind.type_name == "terdut_escalation_rule"
        && hits.iter().any(|hit| hit.sort == Sort::NotFound && hit.asked.is_policy())
}

fn names_object_and_cause(stage: &Stage, hits: &[&Hit], failure: &Failure) -> Result<(), String> {
    let config = stage.deed.after(&stage.kind);
    let labels = ["name", "username", "id", "team_id", "service_account_id"].into_iter();
    let label = |json: &Json, name: &str| json[name].as_str().map(|text| text.trim().to_owned());
    let of = |json: Option<&Json>| -> Vec<String> {
        labels.clone().filter_map(|name| label(json?, name)).collect()
    };
    let mut names = of(Some(&config));
    names.extend(of(stage.prior.as_ref()));
    // What stands in an import id is looked up first.
    names.push("name=Fixture".to_owned());
    let forms = |name: &String| [format!("{name:?}"), format!("={name}\""), format!("team {name}")];
    let is_told = names.iter().flat_map(forms).any(|form| failure.says(&form));
    // That something is not there is told by the host, with the id as it was given.
    if !is_told && !failure.says("non-existent") {
        return Err(format!("names none of {names:?}: {failure}"));
    }
    let mut words: Vec<_> = hits.iter().flat_map(|hit| hit.sort.words()).copied().collect();
    if is_own_word_for_none(stage, hits) {
        words.push("non-existent");
    }
    if !words.iter().any(|word| failure.says(word)) {
        return Err(format!("says none of {words:?}: {failure}"));
    }
    Ok(())
}

/// Nothing that was there before is another, but for the object that the deed is about.
pub(crate) fn others_are_untouched(
    stage: &Stage,
    before: &Truth,
    after: &Truth,
    ended: &Ended,
) -> Result<(), String> {
    let prior = stage.prior.as_ref();
    let own = prior.map(|state| path_of(stage.kind.type_name, state));
    let mut touched: Vec<_> = after.changed_since(before).into_iter().collect();
    touched.retain(|path| before.has(path) && !own.as_ref().is_some_and(|own| is_at(path, own)));
    // What is new is the object, or below it.
    let objects = stage.objects(after);
    let mut strange = after.new_since(before);
    strange.retain(|path| !objects.iter().any(|object| is_at(path, object)));
    if touched.is_empty() && strange.is_empty() {
        return Ok(());
    }
    Err(format!("others were touched: {touched:?} {strange:?}; {ended:?}"))
}

fn reading(
    stage: &Stage,
    hits: &[&Hit],
    before: &Truth,
    after: &Truth,
    ended: &Ended,
) -> Result<Became, String> {
    if after != before {
        return Err("reading has changed something".to_owned());
    }
    let imports = matches!(stage.deed, Deed::ImportById | Deed::ImportByName);
    match (ended, stage.scene.world.state(ADDRESS)) {
        (Ok(_), Some(_)) if stage.deed == Deed::Plan && is_own_word_for_none(stage, hits) => {
            Ok(Became::Absent)
        }
        (Ok(_), None) if imports => Err("it is imported and not in the state".to_owned()),
        (Ok(_), None) if is_own_word_for_none(stage, hits) => Ok(Became::Absent),
        (Ok(_), None) => Err("it was taken for gone".to_owned()),
        (Err(failure), None) if imports && failure.says("non-existent") => Ok(Became::Absent),
        (Err(_), None) if imports => Ok(Became::Failed),
        (Err(_), None) => Err("the state is empty".to_owned()),
        (Err(_), Some(_)) if imports => Err("what was not imported is in the state".to_owned()),
        (Ok(_), Some(now)) => {
            let same = stage.prior.as_ref().is_some_and(|prior| prior["id"] == now["id"]);
            if same { Ok(Became::Done) } else { Err(format!("another state: {now}")) }
        }
        (Err(_), Some(now)) if Some(now) == stage.prior.as_ref() => Ok(Became::Failed),
        (Err(_), Some(now)) => Err(format!("a failure has changed the state: {now}")),
    }
}

/// What is there is in the state, and what is in the state is there.
pub(crate) fn is_true(
    there: &[String],
    before: &Truth,
    stage: &Stage,
    ended: &Ended,
) -> Result<(), String> {
    let stored = stage.stored();
    let mut orphans: Vec<_> = there.iter().filter(|path| !stored.contains(path)).collect();
    let ghosts = stored.iter().filter(|path| !there.contains(path)).count();
    let lie = |what: &str| Err(format!("{what}: stored {stored:?}, there {there:?}, {ended:?}"));
    if stage.deed == Deed::Adopt && ended.is_err() {
        if !stored.is_empty() {
            return lie("a failed adoption is stored");
        }
        // Somebody else's object, which stays theirs.
        let theirs = there.iter().filter(|path| before.has(path)).count();
        if theirs == 0 && !says_what_was_removed(ended) {
            return lie("what was to be adopted is gone without a word");
        }
        orphans.retain(|path| !before.has(path));
    }
    let is_lie = orphans.len() > 1 || orphans.iter().any(|path| !is_told(path, ended));
    match (stage.deed, ended) {
        (Deed::Destroy, Ok(told))
            if told.iter().any(|one| one.says("account itself is still there")) =>
        {
            Ok(())
        }
        (Deed::Destroy, Ok(_)) if ghosts + there.len() > 0 => lie("it is not gone"),
        (Deed::Create, Err(_)) if !stored.is_empty() => lie("a failed create is stored"),
        _ if is_lie => lie("something is there that is not stored"),
        (Deed::Update, _) | (_, Ok(_)) if ghosts > 0 => lie("what is stored is not there"),
        (Deed::Destroy, Err(_)) if stored.is_empty() => lie("an error, and it is not stored"),
        _ => Ok(()),
    }
}

/// What is deleted and made anew when it is adopted may be between the two.
fn says_what_was_removed(ended: &Ended) -> bool {
    let told = match ended {
        Ok(told) => told,
        Err(failure) => &failure.diagnostics,
    };
    told.iter().any(|one| one.says("it is deleted and made again with another id"))
}
