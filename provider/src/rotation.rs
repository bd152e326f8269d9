//! `rotate_when_changed`: Terraform's values for core's rule.
//!
//! Alert sources, keys and the server use it. When a change rotates is core's to say.

use std::collections::BTreeMap;

use terdut_core::model;
use terdut_core::value::Input;
use terdut_plugin::attr::Attr;

use crate::attributes::input;

/// The attribute's value: any member may be null or not known yet.
pub type Rotation = Attr<BTreeMap<String, Attr<String>>>;

/// Whether the change from what was to what is planned asks for a new key.
pub fn rotates(prior: &Rotation, planned: &Rotation) -> bool {
    let before: Option<BTreeMap<String, Option<String>>> = prior.known().map(|members| {
        let members = members.iter();
        members.map(|(key, value)| (key.clone(), value.known().cloned())).collect()
    });
    let now = input(planned).map(|members| {
        members
            .iter()
            .map(|(key, value)| (key.clone(), input(value)))
            .collect::<BTreeMap<_, Input<_>>>()
    });
    model::rotates(before.as_ref(), &now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(value: Attr<&str>) -> Rotation {
        Attr::Known(BTreeMap::from([("quarter".to_owned(), value.map(str::to_owned))]))
    }

    #[test]
    fn an_unknown_member_rotates_only_what_was_not_empty() {
        let (first, open) = (map(Attr::Known("1")), map(Attr::Unknown));
        assert!(rotates(&first, &open));
        assert!(!rotates(&Attr::Null, &open));
        assert!(!rotates(&first, &first));
        assert!(rotates(&first, &map(Attr::Null)));
    }
}
