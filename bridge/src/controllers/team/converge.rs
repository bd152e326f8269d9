//! The team itself: made, taken over, renamed, its OIDC groups set.
//!
//! What has to be done is core's plan; this says what is there, and records before each POST.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use terdut_client::ClaimGuard;
use terdut_client::execute::{Found, Order, Progress, Why, carry_out, carry_out_durably};
use terdut_core::api::{Reply, Request, Shared, Team as TeamFact};
use terdut_core::claims::Claim;
use terdut_core::create::Failure;
use terdut_core::error::Class;
use terdut_core::ids::TeamId;
use terdut_core::model::{DesiredTeam, Kind, ObservedTeam, Team};
use terdut_core::plan::{Action, Ownership, Plan, Policy, plan};
use terdut_core::record::TeamRecord;
use terdut_core::value::{Field, Name};

use super::record::{self, Kept};
use crate::access::TeamAccess;
use crate::context::Context;
use crate::controllers::ending::update_of;
use crate::controllers::halt::{Halt, made_nothing};
use crate::controllers::wishes::reference;
use crate::crd::TerdutTeam;
use crate::events::{EventReason, EventType};
use crate::kube::KubeError;
use crate::status::Reason;

/// Makes the team as it is wanted. What comes back has its id.
pub(super) async fn converge(
    context: &Context,
    team: &TerdutTeam,
    access: &TeamAccess,
    desired: DesiredTeam,
    kept: Kept,
) -> Result<Kept, Halt> {
    let pass = Converging { context, team, access };
    match pass.there(record::id_of(&kept)).await? {
        Some(there) => pass.change(&desired, &there, kept).await,
        None => pass.create(desired, kept).await,
    }
}

struct Converging<'a> {
    context: &'a Context,
    team: &'a TerdutTeam,
    access: &'a TeamAccess,
}

impl Converging<'_> {
    /// The team on record. Only a list that is not a remembered one says that it is gone.
    async fn there(&self, id: Option<TeamId>) -> Result<Option<ObservedTeam>, Halt> {
        let find = |teams: Shared<TeamFact>| {
            teams.iter().find(|there| Some(there.id) == id).map(ObservedTeam::from)
        };
        let there = find(self.list(false).await?);
        if there.is_some() || id.is_none() {
            return Ok(there);
        }
        self.list(true).await.map(find)
    }

    /// The server's teams.
    async fn list(&self, fresh: bool) -> Result<Shared<TeamFact>, Halt> {
        let caller = self.access.caller();
        let answer = if fresh {
            caller.call_fresh(Request::ListTeams).await
        } else {
            caller.call(Request::ListTeams).await
        };
        match answer {
            Ok(Reply::Teams(teams)) => Ok(teams),
            Ok(_) => Ok(Shared::from([])),
            Err(error) => Err(Halt::from(&error)),
        }
    }

    /// The team is ours: brings it to what is wanted.
    async fn change(
        &self,
        desired: &DesiredTeam,
        there: &ObservedTeam,
        kept: Kept,
    ) -> Result<Kept, Halt> {
        let policy = Policy::default();
        let plan = plan::<Team>(Some(desired), Some(there), Ownership::Recorded, policy);
        if plan.action == Action::NoOp {
            return Ok(kept);
        }
        let progress = self.carry_out(&plan, Ownership::Recorded, policy).await;
        done(&progress)?;
        let (reason, note) = update_of(self.team);
        self.say(reason, "Update", note).await;
        // The name that it had may be what another waits for.
        record::wake_rivals(self.context, self.team);
        Ok(kept)
    }

    /// There is no team of ours: makes one under the name on record, which a crash may have left,
    /// else under the wanted one.
    async fn create(&self, desired: DesiredTeam, kept: Kept) -> Result<Kept, Halt> {
        // An id on record that is not there any more: the record is begun anew.
        let unfinished = kept.ours.clone().filter(|record| record.team.is_none());
        let unfinished = self.still_free(unfinished, &desired).await?;
        let before = unfinished.as_ref().map(|record| record.before.clone());
        let name = unfinished.and_then(|record| record.name.parse::<Name>().ok());
        let asked = DesiredTeam {
            name: name.map_or(desired.name.clone(), Field::Known),
            ..desired.clone()
        };
        // From the look to the record nobody else makes one of that name.
        let _claim = self.claim(format!("making {}", name_of(&asked))).await;
        let policy = Policy { adopt_existing: self.access.permit.may_adopt(), ..Policy::default() };
        let plan = plan::<Team>(Some(&asked), None, Ownership::Recorded, policy);
        let written = Mutex::new(kept);
        let order = Order { plan: &plan, wanted: true, ownership: Ownership::Recorded, policy };
        let progress = carry_out_durably(
            &self.access.caller(),
            self.access.link.claims(),
            order,
            before,
            |before| self.record_intent(&written, &asked, before),
        )
        .await?;
        let kept = written.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.made(desired, &progress, kept).await
    }

    async fn record_intent(
        &self,
        written: &Mutex<Kept>,
        asked: &DesiredTeam,
        before: BTreeSet<i64>,
    ) -> Result<(), KubeError> {
        let lock = || written.lock().unwrap_or_else(PoisonError::into_inner);
        let version = lock().version.clone();
        let record = record::intent(self.team, self.access, &name_of(asked), before);
        let kept = record::write(self.context, self.team, record, version.as_deref()).await?;
        *lock() = kept;
        Ok(())
    }

    /// What became of a create.
    async fn made(
        &self,
        desired: DesiredTeam,
        progress: &Progress,
        kept: Kept,
    ) -> Result<Kept, Halt> {
        if let Some(Found::Team(found)) = &progress.found {
            return self.adopt(&desired, found).await;
        }
        if progress.failed.as_ref().is_some_and(made_nothing) {
            record::retract(self.context, self.team, &kept).await?;
        }
        let Some(team) = progress.team() else { return Err(self.not_made(progress)) };
        let kept = self.recorded(team, kept).await?;
        done(progress)?;
        // A name that was changed between the record and the POST.
        let there = ObservedTeam::from(team);
        self.change(&desired, &there, kept).await
    }

    /// Refuses to go on with what a crash left, if another object has made the team of that name
    /// since, or may have: what is new under the name is then no proof that it is ours. Where another
    /// name is wanted by now, that is begun anew instead.
    async fn still_free(
        &self,
        unfinished: Option<TeamRecord>,
        desired: &DesiredTeam,
    ) -> Result<Option<TeamRecord>, Halt> {
        let Some(record) = unfinished else { return Ok(None) };
        let teams = self.list(true).await?;
        let Some(there) = teams.iter().find(|there| record.may_have_made(there)) else {
            return Ok(Some(record));
        };
        match record::unclaimed(self.context, self.team, self.access, there) {
            Ok(()) => Ok(Some(record)),
            Err(_) if record.name.trim() != name_of(desired) => Ok(None),
            Err(claimed) => Err(claimed),
        }
    }

    /// The record with the id. It is written together with the key, but at once if another object
    /// was about to make a team of that name: that one must see whose this is.
    async fn recorded(&self, team: &TeamFact, kept: Kept) -> Result<Kept, Halt> {
        let ours = kept.ours.map(|record| record.of_team(team.id));
        let unclaimed = record::unclaimed(self.context, self.team, self.access, team).is_ok();
        match ours {
            Some(record) if !unclaimed => {
                let version = kept.version.as_deref();
                Ok(record::write(self.context, self.team, record, version).await?)
            }
            ours => Ok(Kept { ours, ..kept }),
        }
    }

    /// Why there is no team. A name that is taken is somebody's, or may not be taken over.
    fn not_made(&self, progress: &Progress) -> Halt {
        let Some(failed) = &progress.failed else {
            return Halt::retry(
                Reason::Invalid,
                "The server did not say what it made.",
                Class::Invalid,
            );
        };
        let Why::Create(Failure::Taken { ids, label, .. }) = &failed.why else {
            return Halt::from(failed);
        };
        let [id] = ids.as_slice() else { return Halt::from(failed) };
        let Ok(id) = id.parse() else { return Halt::from(failed) };
        if self.access.permit.may_adopt() {
            return Halt::from(failed);
        }
        let (oidc_member_group, oidc_owner_group) = (None, None);
        let found = TeamFact { id, name: label.clone(), oidc_member_group, oidc_owner_group };
        let unclaimed = record::unclaimed(self.context, self.team, self.access, &found);
        if let Err(claimed) = unclaimed {
            return claimed;
        }
        Halt::waiting(
            Reason::AdoptionNotPermitted,
            "The server has a team of that name, which this object did not make. Its owner can \
             allow that it is taken over: spec.allowedTeams.adoption of the TerdutServer.",
        )
    }

    /// Takes over a team of that name, unless somebody owns it.
    async fn adopt(&self, desired: &DesiredTeam, found: &TeamFact) -> Result<Kept, Halt> {
        // Two objects must not both find that nobody owns it.
        let _claim = self.claim(format!("adopting {}", found.id)).await;
        record::unclaimed(self.context, self.team, self.access, found)?;
        let kept = record::find(self.context, self.team, self.access).await?;
        let record = record::intent(self.team, self.access, &found.name, [].into());
        let record = record.of_team(found.id);
        let kept = record::write(self.context, self.team, record, kept.version.as_deref()).await?;
        let there = ObservedTeam::from(found);
        let policy = Policy { adopt_existing: true, ..Policy::default() };
        let plan = plan::<Team>(Some(desired), Some(&there), Ownership::Found, policy);
        let note =
            format!("The team {} was on the server already and is managed from now on.", found.id);
        self.say(EventReason::Adopted, "Adopt", &note).await;
        if !plan.steps.is_empty() {
            let progress = self.carry_out(&plan, Ownership::Found, policy).await;
            done(&progress)?;
        }
        Ok(kept)
    }

    async fn claim(&self, name: String) -> ClaimGuard {
        let server = self.access.link.url().to_owned();
        let claim = Claim { server, parent: None, kind: Kind::Team, name };
        self.access.link.claims().take(claim).await
    }

    /// Carries out a plan that makes nothing.
    async fn carry_out(&self, plan: &Plan, ownership: Ownership, policy: Policy) -> Progress {
        let order = Order { plan, wanted: true, ownership, policy };
        let caller = self.access.caller();
        carry_out(&caller, self.access.link.claims(), order).await
    }

    async fn say(&self, reason: EventReason, action: &str, note: &str) {
        let about = reference(self.team);
        self.context.events.publish(&about, EventType::Normal, reason, action, note).await;
    }
}

fn name_of(team: &DesiredTeam) -> String {
    team.name.known().map(ToString::to_string).unwrap_or_default()
}

fn done(progress: &Progress) -> Result<(), Halt> {
    progress.failed.as_ref().map_or(Ok(()), |failed| Err(Halt::from(failed)))
}
