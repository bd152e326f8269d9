//! One deed with a server under each fault at each of its requests, and at each request that only
//! comes after a fault.

use terdut_tests::harness::Binary;
use terdut_tests::host::{Host, Profile, Session};

use super::{Cell, Deed, SERVER};
use crate::faults::hit::{Asked, Hit, Span, all_has_acted};
use crate::faults::judge::Became;
use crate::faults::lane::{Walked, spans, title};
use crate::faults::page::Row;
use crate::faults::sort::Sort;
use crate::faults::truth::Truth;

struct Walk {
    session: Session,
    deed: Deed,
    asked: Vec<Asked>,
    /// Those of the look that comes first.
    looks: Vec<Asked>,
    /// Requests that only come after a fault, with the first fault that brings them.
    later: Vec<(Asked, Hit)>,
    walked: Walked,
}

pub(crate) async fn walk(deed: Deed) -> Walked {
    let binary = Binary::provider().with_env("TERDUT_RETRY_BASE", "1ms");
    let host = Host::start(&binary, Profile::modern()).await;
    let session = host.session().clone();
    session.may_forget();
    let (mut asked, mut looks) = (undisturbed(&session, deed).await, Vec::new());
    if deed.looks_first() {
        looks = undisturbed(&session, Deed::Plan).await;
        asked.drain(..looks.len());
    }
    let (later, walked) = (Vec::new(), Walked::default());
    let mut walk = Walk { session, deed, asked, looks, later, walked };
    for asked in walk.asked.clone() {
        walk.row(&asked, None).await;
    }
    for (asked, first) in walk.later.clone() {
        walk.row(&asked, Some(&first)).await;
    }
    host.shutdown().await;
    walk.walked
}

async fn undisturbed(session: &Session, deed: Deed) -> Vec<Asked> {
    let mut cell = Cell::set(session, deed).await;
    cell.simulator.clear_requests();
    let ended = cell.act().await;
    let asked = Asked::all(&cell.simulator.requests());
    assert!(ended.is_ok(), "without a fault: {ended:?}");
    cell.end_well(&ended).await.unwrap_or_else(|lie| panic!("without a fault: {lie}"));
    asked
}

impl Walk {
    /// All faults at one request.
    async fn row(&mut self, asked: &Asked, first: Option<&Hit>) {
        for acted in [false, true] {
            if acted && !asked.writes() {
                continue;
            }
            let mut cells = Vec::new();
            for sort in Sort::ALL {
                let mut letters = String::new();
                for span in spans(sort, asked, acted, first.is_some()) {
                    let hit = Hit { sort, asked: asked.clone(), acted, span };
                    letters.push(self.letter(first, &hit).await);
                }
                cells.push(letters);
            }
            let request = title(asked, acted, first);
            self.walked.rows.push(Row { deed: self.deed.name(), request, cells });
        }
    }

    async fn letter(&mut self, first: Option<&Hit>, hit: &Hit) -> char {
        self.walked.count(hit);
        match self.cell(first, hit).await {
            Ok(became) => became.letter(),
            Err(lie) => {
                let at = format!("{SERVER} {}: {hit:?} after {first:?}", self.deed.name());
                self.walked.lies.push(format!("{at}: {lie}"));
                '!'
            }
        }
    }

    async fn cell(&mut self, first: Option<&Hit>, hit: &Hit) -> Result<Became, String> {
        let mut cell = Cell::set(&self.session, self.deed).await;
        let hits: Vec<_> = first.into_iter().chain([hit]).collect();
        let hurried = hits.iter().any(|hit| hit.sort.is_slow());
        cell.configure(hurried).await;
        let before = Truth::look(&cell.simulator);
        cell.simulator.clear_requests();
        for hit in &hits {
            hit.set(&cell.simulator);
        }
        let ended = cell.act().await;
        let log = cell.simulator.requests();
        all_has_acted(&cell.simulator).await;
        cell.simulator.clear_faults();
        cell.simulator.come_back();
        let became = cell.judge(&hits, &before, &ended)?;
        let end = cell.end_well(&ended).await;
        // The server's own word that a key is no more, though it is there.
        let is_none = hit.sort == Sort::NotFound && hit.asked.method == "DELETE";
        if is_none && end.as_ref().is_err_and(|lie| lie.starts_with("keys: ")) {
            return Ok(Became::Absent);
        }
        end?;
        if first.is_none() {
            let met = log.iter().any(|seen| seen.fault) || hit.sort == Sort::Refused;
            assert!(met, "the fault was not met: {hit:?}");
            self.note_later(hit, &Asked::all(&log));
        }
        Ok(became)
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
