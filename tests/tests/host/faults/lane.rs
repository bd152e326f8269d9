//! One deed with one kind, under each fault at each of its requests.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use terdut_simulator::Logged;

use super::deed::Deed;
use super::hit::{Asked, Hit, Patience, Span, all_has_acted};
use super::judge::{judge, may_have_made};
use super::page::Row;
use super::sort::Sort;
use super::stage::{Ended, Stage};
use super::truth::Truth;

/// What a lane came to.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) rows: Vec<Row>,
    /// What was not true, with where.
    pub(crate) lies: Vec<String>,
    pub(crate) cells: usize,
    /// Every request that was hit: method and route.
    pub(crate) routes: BTreeSet<(String, String)>,
}

impl Walked {
    /// Counts a cell.
    pub(crate) fn count(&mut self, hit: &Hit) {
        self.cells += 1;
        self.routes.insert((hit.asked.method.clone(), hit.asked.route.clone()));
    }

    /// Takes over what another came to, after what is here.
    pub(crate) fn add(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.lies.extend(other.lies);
        self.cells += other.cells;
        self.routes.extend(other.routes);
    }
}

/// How the table names a row.
pub(crate) fn title(asked: &Asked, acted: bool, first: Option<&Hit>) -> String {
    let acted = if acted { ", *acted*" } else { "" };
    let after = first.map_or_else(String::new, |first| {
        let acted = if first.acted { ", *acted*" } else { "" };
        format!(" after {}{acted}: {}", first.asked.name(), first.sort.title())
    });
    format!("{}{acted}{after}", asked.name())
}

pub(crate) struct Lane {
    stage: Stage,
    asked: Vec<Asked>,
    /// Those of the look that comes first.
    looks: Vec<Asked>,
    /// Requests that only come after a fault, with the first fault that brings them.
    later: Vec<(Asked, Hit)>,
    walked: Walked,
}

impl Lane {
    pub(crate) async fn walk(kind: &'static str, deed: Deed) -> Walked {
        let mut stage = Stage::set(kind, deed).await;
        let (mut asked, mut looks) = (undisturbed(&mut stage).await, Vec::new());
        if deed.looks_first() {
            // Their first look is that of a plan, which has a lane of its own.
            let mut plan = Stage::set(kind, Deed::Plan).await;
            looks = undisturbed(&mut plan).await;
            plan.scene.world.close().await;
            asked.drain(..looks.len());
        }
        let mut lane = Self { stage, asked, looks, later: Vec::new(), walked: Walked::default() };
        for asked in lane.asked.clone() {
            lane.row(&asked, None).await;
        }
        for (asked, first) in lane.later.clone() {
            lane.row(&asked, Some(&first)).await;
        }
        lane.stage.scene.world.close().await;
        lane.walked
    }

    /// All faults at one request.
    async fn row(&mut self, asked: &Asked, first: Option<&Hit>) {
        for acted in [false, true] {
            if acted && !asked.writes() {
                continue;
            }
            let mut cells = Vec::new();
            for sort in Sort::ALL {
                let mut cell = String::new();
                for span in self.spans(sort, asked, acted, first.is_some()) {
                    let hit = Hit { sort, asked: asked.clone(), acted, span };
                    cell.push(self.cell(first, &hit).await);
                }
                cells.push(cell);
            }
            let request = title(asked, acted, first);
            self.walked.rows.push(Row { deed: self.stage.deed.name(), request, cells });
        }
    }

    /// A hint is done without, and the delete is sent all the same: where it would meet the same
    /// yes without a word, only the hint is hit.
    fn spans(&self, sort: Sort, asked: &Asked, acted: bool, later: bool) -> Vec<Span> {
        let mut spans = spans(sort, asked, acted, later);
        if sort == Sort::Empty && self.is_hint(asked) {
            spans.retain(|span| *span == Span::Once);
        }
        spans
    }

    /// Whether a destroy asks it before it deletes. The look that comes first is not among these.
    fn is_hint(&self, asked: &Asked) -> bool {
        let delete = self.asked.iter().find(|one| one.writes());
        self.stage.deed == Deed::Destroy
            && delete.is_some_and(|delete| asked.before < delete.before)
    }

    async fn cell(&mut self, first: Option<&Hit>, hit: &Hit) -> char {
        self.walked.count(hit);
        let tried = AssertUnwindSafe(self.try_cell(first, hit)).catch_unwind().await;
        let lie = match tried {
            Ok(Ok(letter)) => return letter,
            Ok(Err(lie)) => lie,
            Err(panic) => panicked(&*panic),
        };
        let (kind, deed) = (self.stage.kind.type_name, self.stage.deed);
        let at = format!("{kind} {}: {hit:?} after {first:?}", deed.name());
        self.walked.lies.push(format!("{at}: {lie}"));
        self.stage = Stage::set(kind, deed).await;
        '!'
    }

    /// What was there before, what came of the deed under these faults, and what was asked.
    async fn under(&mut self, hits: &[&Hit]) -> (Truth, Ended, Vec<Logged>) {
        let stage = &mut self.stage;
        stage.begin().await;
        let before = Truth::look(&stage.scene.simulator);
        stage.configure(hits.iter().any(|hit| hit.sort.is_slow())).await;
        stage.scene.simulator.clear_requests();
        for hit in hits {
            hit.set(&stage.scene.simulator);
        }
        let ended = stage.act().await;
        all_has_acted(&stage.scene.simulator).await;
        stage.scene.simulator.clear_faults();
        stage.scene.simulator.come_back();
        let log = stage.scene.simulator.requests();
        (before, ended, log)
    }

    async fn try_cell(&mut self, first: Option<&Hit>, hit: &Hit) -> Result<char, String> {
        let hits: Vec<_> = first.into_iter().chain([hit]).collect();
        let patience = Patience::with(hit);
        let (became, log) = loop {
            let (before, ended, log) = self.under(&hits).await;
            let became = judge(&self.stage, &hits, &before, &ended)?;
            self.stage.end_well(may_have_made(&ended)).await?;
            if first.is_some() || patience.is_met(&log) {
                break (became, log);
            }
        };
        if first.is_none() {
            self.note_later(hit, &Asked::all(&log));
        }
        Ok(became.letter())
    }

    /// Remembers requests that come only after this fault.
    fn note_later(&mut self, hit: &Hit, log: &[Asked]) {
        if hit.span == Span::All {
            return;
        }
        for asked in log {
            let is_known = {
                let later = self.later.iter().map(|(asked, _)| asked);
                let mut known =
                    self.asked.iter().chain(&self.looks).chain(later).chain([&hit.asked]);
                known.any(|known| known.is_like(asked))
            };
            if !is_known {
                self.later.push((asked.clone(), hit.clone()));
            }
        }
    }
}

/// The requests of the deed when all is well.
async fn undisturbed(stage: &mut Stage) -> Vec<Asked> {
    stage.begin().await;
    stage.configure(false).await;
    stage.scene.simulator.clear_requests();
    let ended = stage.act().await;
    ended.unwrap_or_else(|failure| panic!("without a fault: {failure}"));
    let asked = Asked::all(&stage.scene.simulator.requests());
    stage.end_well(false).await.unwrap_or_else(|lie| panic!("without a fault: {lie}"));
    asked
}

/// For how long it may be hit there.
pub(crate) fn spans(sort: Sort, asked: &Asked, acted: bool, later: bool) -> Vec<Span> {
    if acted && !sort.may_act() {
        return Vec::new();
    }
    // A yes without a word to a request that has none: nobody can tell it from the server's.
    if sort == Sort::Empty && asked.method == "DELETE" && !acted {
        return Vec::new();
    }
    // An old server that cannot delete accounts: the account stays without keys, with a warning.
    if sort == Sort::NoRoute && asked.name() == "DELETE /api/service-accounts/{id}" {
        return Vec::new();
    }
    match (sort, asked.writes()) {
        // Nothing is done by what only reads, however late.
        (Sort::Late, writes) => {
            if writes {
                vec![Span::Once]
            } else {
                Vec::new()
            }
        }
        (Sort::Refused, _) if later => Vec::new(),
        (Sort::Refused, _) => vec![Span::All],
        _ if later => vec![Span::Route],
        (_, true) if acted => vec![Span::Once, Span::Route, Span::All],
        (_, true) => vec![Span::Once, Span::Route],
        (_, false) => vec![Span::Once, Span::All],
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    text.unwrap_or_else(|| "it panicked".to_owned())
}
