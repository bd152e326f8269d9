//! The list of alert sources: a team's, or all teams'. Without keys, which terdut shows once.

use std::ops::ControlFlow;
use std::pin::pin;

use futures::TryStreamExt;
use terdut_client::Caller;
use terdut_core::error::ApiError;
use terdut_core::model::ObservedAlertSource;
use terdut_plugin::schema::Attribute;

use super::below::{ahead, places, sorted, unless_gone};
use super::filter::{Filter, narrowing, team_id};
use super::{Catalogue, Shelf};
use crate::object::lookup;
use crate::resources::alert_source::AlertSourceObject;

impl Catalogue for AlertSourceObject {
    fn filters() -> Vec<Attribute> {
        vec![team_id(), narrowing("kind", "its kind is this, such as `alertmanager`.")]
    }

    async fn walk(
        caller: &Caller,
        filter: &Filter,
        shelf: &mut Shelf<'_, Self>,
    ) -> Result<ControlFlow<()>, ApiError> {
        let lists = ahead(places(caller, filter.team).await?, async |place| {
            let listed = lookup::sources(caller, place.team).await.map(|list| list.to_vec());
            unless_gone(caller, &place, listed).await.map(|sources| (place, sources))
        });
        let mut lists = pin!(lists);
        while let Some((place, sources)) = lists.try_next().await? {
            let fits = |name: &str, kind: &str| filter.fits(name) && filter.fits_kind(kind);
            let fitting = sources.iter().filter(|source| fits(&source.name, &source.kind));
            for source in sorted(fitting, |source| source.id) {
                let observed = ObservedAlertSource::from_fact(place.team, source);
                if shelf.add(place.label(&source.name), &observed).await.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
