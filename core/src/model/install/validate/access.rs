//! Checks of who may use the server: log-in, the first person, whose teams.

use crate::consent::{Adoption, AllowedTeams, From, Operator, Requirement, Selector};
use crate::model::install::check::{Checked, Checker, given};
use crate::model::install::validated::{BootstrapPerson, Oidc};
use crate::model::install::{
    AllowedNamespacesSpec, AllowedTeamsSpec, BootstrapPersonSpec, LabelRequirementSpec,
    LabelSelectorSpec, OidcSettingsSpec,
};
use crate::value::ServerUrl;

/// What is written about log-in by OIDC is checked also while it is off.
pub(super) fn oidc(
    part: &mut Checker<'_>,
    spec: Option<&OidcSettingsSpec>,
) -> Checked<Option<Oidc>> {
    let spec = spec.cloned().unwrap_or_default();
    let enabled = spec.enabled.unwrap_or(false);
    let issuer = issuer(part, spec.issuer.as_deref());
    let client_id = part.text("client_id", spec.client_id.as_deref());
    let reference = spec.client_secret_ref.as_ref();
    let client_secret = part.secret("client_secret_ref", reference, "client-secret");
    let name = part.defaulted("name", spec.name.as_deref(), "SSO");
    let scopes = given(spec.scopes.as_deref()).unwrap_or("openid profile email");
    let scopes = part.text("scopes", Some(scopes));
    let groups = groups(part, spec.allowed_groups.as_deref().unwrap_or_default());
    let admin_group = part.text("admin_group", spec.admin_group.as_deref());
    let session_max_age = part.duration("session_max_age", spec.session_max_age.as_deref(), "12h");
    let missing = [
        ("issuer", issuer.as_ref().is_ok_and(String::is_empty)),
        ("client_id", client_id.as_ref().is_ok_and(String::is_empty)),
        ("client_secret_ref", matches!(client_secret, Ok(None))),
    ];
    let complete = if enabled { given_all(part, &missing) } else { Ok(()) };
    let (issuer, client_id, client_secret) = (issuer?, client_id?, client_secret?);
    let (name, scopes, allowed_groups) = (name?, scopes?, groups?);
    let (admin_group, session_max_age) = (admin_group?, session_max_age?);
    complete?;
    Ok(client_secret.filter(|_| enabled).map(|client_secret| Oidc {
        issuer,
        client_id,
        client_secret,
        name,
        scopes,
        allowed_groups,
        admin_group,
        session_max_age,
    }))
}

/// Notes every field that is missing.
fn given_all(part: &mut Checker<'_>, missing: &[(&'static str, bool)]) -> Checked<()> {
    let fields = missing.iter().filter(|(_, missing)| *missing);
    let noted = fields.map(|(field, _)| part.fault(field, "It is required when OIDC is enabled."));
    noted.last().map_or(Ok(()), Err)
}

/// An issuer is compared letter by letter, a slash at its end included: it is only looked at.
fn issuer(part: &mut Checker<'_>, text: Option<&str>) -> Checked<String> {
    part.optional::<ServerUrl>("issuer", text)?;
    Ok(given(text).unwrap_or_default().trim().to_owned())
}

fn groups(part: &mut Checker<'_>, groups: &[String]) -> Checked<Vec<String>> {
    let mut found = Ok(Vec::new());
    for (index, group) in groups.iter().enumerate() {
        let group = group.trim();
        let fault = match group {
            "" => "A group must not be empty.",
            _ if group.contains(',') => "A group must not hold a comma.",
            _ if group.chars().any(char::is_control) => {
                "A group must not hold control characters such as line breaks."
            }
            _ => {
                if let Ok(found) = &mut found {
                    found.push(group.to_owned());
                }
                continue;
            }
        };
        let path = part.path("allowed_groups").index(index);
        found = Err(part.fault_at(path, fault));
    }
    found
}

pub(super) fn bootstrap(
    part: &mut Checker<'_>,
    spec: Option<&BootstrapPersonSpec>,
) -> Checked<BootstrapPerson> {
    let spec = spec.cloned().unwrap_or_default();
    let username = part.defaulted("username", spec.username.as_deref(), "terdut-operator");
    let email = part.defaulted("email", spec.email.as_deref(), "terdut-operator@localhost");
    let password =
        part.secret("password_secret_ref", spec.password_secret_ref.as_ref(), "password");
    Ok(BootstrapPerson { username: username?, email: email?, password: password? })
}

pub(super) fn allowed_teams(
    part: &mut Checker<'_>,
    spec: Option<&AllowedTeamsSpec>,
) -> Checked<AllowedTeams> {
    let spec = spec.cloned().unwrap_or_default();
    let adoption = match given(spec.adoption.as_deref()) {
        None | Some("Deny") => Ok(Adoption::Deny),
        Some("Allow") => Ok(Adoption::Allow),
        Some(_) => Err(part.fault("adoption", "It is neither Deny nor Allow.")),
    };
    let namespaces = spec.namespaces.unwrap_or_default();
    let chosen = namespaces_of(&mut part.below("namespaces"), &namespaces);
    let (from, selector) = chosen?;
    Ok(AllowedTeams { from, selector, adoption: adoption? })
}

fn namespaces_of(
    part: &mut Checker<'_>,
    spec: &AllowedNamespacesSpec,
) -> Checked<(From, Selector)> {
    let from = match given(spec.from.as_deref()) {
        None | Some("None") => Ok(From::None),
        Some("Same") => Ok(From::Same),
        Some("All") => Ok(From::All),
        Some("Selector") => Ok(From::Selector),
        Some(_) => Err(part.fault("from", "It is none of None, Same, All and Selector.")),
    };
    let selector = selector(&mut part.below("selector"), spec.selector.as_ref());
    let (from, selector) = (from?, selector?);
    let empty = selector == Selector::default();
    match from {
        From::Selector if empty => Err(part.fault(
            "selector",
            "It is required with from: Selector. For every namespace write from: All.",
        )),
        From::None | From::Same | From::All if !empty => {
            Err(part.fault("selector", "It is given with from: Selector and only then."))
        }
        _ => Ok((from, selector)),
    }
}

fn selector(part: &mut Checker<'_>, spec: Option<&LabelSelectorSpec>) -> Checked<Selector> {
    let spec = spec.cloned().unwrap_or_default();
    let match_labels = spec.match_labels.unwrap_or_default();
    let demands = spec.match_expressions.unwrap_or_default();
    let checked: Vec<_> = demands
        .iter()
        .enumerate()
        .map(|(index, demand)| requirement(part, index, demand))
        .collect();
    let match_expressions = checked.into_iter().collect::<Checked<_>>()?;
    Ok(Selector { match_labels, match_expressions })
}

fn requirement(
    part: &mut Checker<'_>,
    index: usize,
    spec: &LabelRequirementSpec,
) -> Checked<Requirement> {
    let path = part.path("match_expressions").index(index);
    let values = spec.values.clone().unwrap_or_default();
    let operator = match spec.operator.as_str() {
        "In" => Operator::In,
        "NotIn" => Operator::NotIn,
        "Exists" => Operator::Exists,
        "DoesNotExist" => Operator::DoesNotExist,
        _ => {
            let detail = "It is none of In, NotIn, Exists and DoesNotExist.";
            return Err(part.fault_at(path.field("operator"), detail));
        }
    };
    if spec.key.is_empty() {
        return Err(part.fault_at(path.field("key"), "It is required."));
    }
    match (operator, values.is_empty()) {
        (Operator::In | Operator::NotIn, true) => {
            Err(part.fault_at(path.field("values"), "In and NotIn need at least one."))
        }
        (Operator::Exists | Operator::DoesNotExist, false) => {
            Err(part.fault_at(path.field("values"), "Exists and DoesNotExist take none."))
        }
        _ => Ok(Requirement { key: spec.key.clone(), operator, values }),
    }
}
