//! `terdut_user`: a person.
//!
//! Another name or address is another person for terdut; only the topic is changed in place.

use terdut_client::Caller;
use terdut_client::execute::Found;
use terdut_core::api::{Reply, Request};
use terdut_core::dependents::{self, Dependents};
use terdut_core::error::ApiError;
use terdut_core::model::{DesiredUser, Kind, ObservedUser, User, UserInput, UserSpec};
use terdut_core::problem::Findings;
use terdut_core::value::{Email, Name};
use terdut_plugin::attr::Attr;
use terdut_plugin::schema::Schema;

use crate::attributes::{adopt_existing, id, input, optional, parsed};
use crate::equality::same;
use crate::object::looks::Look;
use crate::object::{Object, lookup};
use crate::projection::Spec;
use crate::timeouts::{self, TimeoutsModel};

terdut_plugin::model! {
    /// A person.
    pub struct UserModel {
        pub id: Attr<String>,
        pub username: Attr<String>,
        pub email: Attr<String>,
        pub ntfy_topic: Attr<String>,
        pub adopt_existing: Attr<bool>,
        pub timeouts: Attr<TimeoutsModel>,
    }
}

/// See the module.
#[derive(Debug)]
pub struct UserObject;

impl Object for UserObject {
    type Model = UserModel;
    type Core = User;

    const PATH: &'static [(&'static str, Kind)] = &[("id", Kind::User)];
    const REPLACED_BY: Option<&'static str> = Some(
        "Another username or email makes a new person: the schedule, the keys and the escalation \
         targets of the old one are lost.",
    );

    fn schema() -> Schema {
        let spec = Spec::of::<UserSpec>();
        Schema::new(spec.description())
            .attribute(id("Id of the user."))
            .attributes(spec.attributes(|path, attribute| match path {
                "username" => attribute.equal_by(same::<Name>),
                "email" => attribute.equal_by(same::<Email>),
                _ => attribute,
            }))
            .attribute(adopt_existing())
            .attribute(timeouts::attribute())
    }

    fn desired(model: &UserModel, findings: &mut Findings) -> Option<DesiredUser> {
        let (username, email) = (input(&model.username), input(&model.email));
        UserInput { username, email, ntfy_topic: input(&model.ntfy_topic) }.validate(findings)
    }

    fn stored(state: &UserModel) -> Option<ObservedUser> {
        Some(ObservedUser {
            id: parsed(&state.id)?,
            username: state.username.clone().unwrap_or_default(),
            email: state.email.clone().unwrap_or_default(),
            ntfy_topic: state.ntfy_topic.clone().unwrap_or_default(),
        })
    }

    fn fill(state: &mut UserModel, observed: &ObservedUser) {
        state.id.set(observed.id.to_string());
        state.username.set(observed.username.clone());
        state.email.set(observed.email.clone());
        state.ntfy_topic = optional(&observed.ntfy_topic);
    }

    async fn find(
        caller: &Caller,
        stored: &ObservedUser,
    ) -> Result<Option<ObservedUser>, ApiError> {
        Ok(lookup::top(lookup::users(caller), stored.id).await?.as_ref().map(Into::into))
    }

    fn found(found: Found, _wanted: &UserModel) -> Option<ObservedUser> {
        if let Found::User(user) = found { Some((&user).into()) } else { None }
    }

    async fn dependents(look: &Look<'_>, stored: &ObservedUser) -> Option<Dependents> {
        let on_call = match look.at(Request::OnCall).await {
            Some(Reply::OnCall(entry)) => entry.map(|entry| entry.user_id),
            _ => None,
        };
        let policies = look.policies().await.unwrap_or_default();
        let policies = policies.iter().map(|(team, policy)| (team, policy));
        Some(dependents::of_user(stored.id, policies, on_call))
    }
}
