//! One deed with a server under each fault at each of its requests, and at each request that only
//! comes after a fault.

use std::sync::Arc;

use futures::StreamExt;
use terdut_tests::harness::Binary;
use terdut_tests::host::{Host, Profile, Session};

use super::{Cell, Deed, SERVER};
use crate::faults::hit::{Asked, Hit, Span, all_has_acted};
use crate::faults::judge::Became;
use crate::faults::lane::{Walked, spans, title};
use crate::faults::page::Row;
use crate::faults::sort::Sort;
use crate::faults::truth::Truth;

/// Rows of a deed at once.
const AT_ONCE: usize = 12;

/// What a deed asks where nothing goes wrong.
struct Usual {
    deed: Deed,
    asked: Vec<Asked>,
    /// Those of the look that comes first.
    looks: Vec<Asked>,
}

impl Usual {
    async fn learn(deed: Deed) -> Self {
        let (host, session) = open().await;
        let (mut asked, mut looks) = (undisturbed(&session, deed).await, Vec::new());
        if deed.looks_first() {
            looks = undisturbed(&session, Deed::Plan).await;
            asked.drain(..looks.len());
        }
        host.shutdown().await;
        Self { deed, asked, looks }
    }

    fn has(&self, asked: &Asked) -> bool {
        self.asked.iter().chain(&self.looks).any(|usual| usual.is_like(asked))
    }
}

/// The rows of one request.
struct Walk {
    session: Session,
    usual: Arc<Usual>,
    /// Requests that only come after a fault, with the first fault that brings them.
    later: Vec<(Asked, Hit)>,
    walked: Walked,
}

pub(crate) async fn walk(deed: Deed) -> Walked {
    let usual = Arc::new(Usual::learn(deed).await);
    let mut walked = Walked::default();
    let rows = usual.asked.iter().map(|asked| (asked.clone(), None)).collect();
    let mut later: Vec<(Asked, Option<Hit>)> = Vec::new();
    for (asked, hit) in at_all(&usual, rows, &mut walked).await {
        if !later.iter().any(|(other, _)| other.is_like(&asked)) {
            later.push((asked, Some(hit)));
        }
    }
    at_all(&usual, later, &mut walked).await;
    walked
}

async fn open() -> (Host, Session) {
    let binary = Binary::provider().with_env("TERDUT_RETRY_BASE", "1ms");
    let host = Host::start(&binary, Profile::modern()).await;
    let session = host.session().clone();
    session.may_forget();
    (host, session)
}

/// Walks these rows and gives the requests that only came after a fault.
async fn at_all(
    usual: &Arc<Usual>,
    rows: Vec<(Asked, Option<Hit>)>,
    walked: &mut Walked,
) -> Vec<(Asked, Hit)> {
    let rows = rows.into_iter();
    let rows = rows.map(|(asked, first)| tokio::spawn(at(Arc::clone(usual), asked, first)));
    let mut rows = futures::stream::iter(rows).buffered(AT_ONCE);
    let mut later = Vec::new();
    while let Some(row) = rows.next().await {
        let row = row.expect("a row ends");
        walked.add(row.0);
        later.extend(row.1);
    }
    later
}

async fn at(usual: Arc<Usual>, asked: Asked, first: Option<Hit>) -> (Walked, Vec<(Asked, Hit)>) {
    let (host, session) = open().await;
    let (later, walked) = (Vec::new(), Walked::default());
    let mut walk = Walk { session, usual, later, walked };
    walk.row(&asked, first.as_ref()).await;
    host.shutdown().await;
    (walk.walked, walk.later)
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
            self.walked.rows.push(Row { deed: self.usual.deed.name(), request, cells });
        }
    }

    async fn letter(&mut self, first: Option<&Hit>, hit: &Hit) -> char {
        self.walked.count(hit);
        match self.cell(first, hit).await {
            Ok(became) => became.letter(),
            Err(lie) => {
                let at = format!("{SERVER} {}: {hit:?} after {first:?}", self.usual.deed.name());
                self.walked.lies.push(format!("{at}: {lie}"));
                '!'
            }
        }
    }

    async fn cell(&mut self, first: Option<&Hit>, hit: &Hit) -> Result<Became, String> {
        let mut cell = Cell::set(&self.session, self.usual.deed).await;
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
            assert!(hit.is_met(&log), "it was not met: {hit:?}");
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
            let is_known = self.usual.has(asked)
                || hit.asked.is_like(asked)
                || self.later.iter().any(|(later, _)| later.is_like(asked));
            if !is_known {
                self.later.push((asked.clone(), hit.clone()));
            }
        }
    }
}
