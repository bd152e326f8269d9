//! Which requests a rule or a count is about.

use super::{Entry, Side};

/// Requests that have all of what is asked for.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    actor: Option<String>,
    side: Option<Side>,
    verbs: Vec<String>,
    writes: bool,
    resource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    after: usize,
}

impl Filter {
    /// Every request.
    pub fn any() -> Self {
        Self::default()
    }

    /// Requests to the API server.
    pub fn api() -> Self {
        Self { side: Some(Side::Api), ..Self::default() }
    }

    /// Requests to terdut servers.
    pub fn terdut() -> Self {
        Self { side: Some(Side::Terdut), ..Self::default() }
    }

    /// Of this actor: the identity of a bridge.
    #[must_use]
    pub fn by(self, actor: &str) -> Self {
        Self { actor: Some(actor.to_owned()), ..self }
    }

    /// With this verb, as [`Entry::verb`] says; with any of them if called more than once.
    #[must_use]
    pub fn verb(mut self, verb: &str) -> Self {
        self.verbs.push(verb.to_owned());
        self
    }

    /// That may change something. Lease renewals and Events are left out.
    #[must_use]
    pub fn writes(self) -> Self {
        Self { writes: true, ..self }
    }

    /// Of this resource, as [`Entry::resource`] says.
    #[must_use]
    pub fn of(self, resource: &str) -> Self {
        Self { resource: Some(resource.to_owned()), ..self }
    }

    /// In this namespace; for terdut, of the server of this namespace.
    #[must_use]
    pub fn in_namespace(self, namespace: &str) -> Self {
        Self { namespace: Some(namespace.to_owned()), ..self }
    }

    /// Of the object of this name; for terdut, of the server of this name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }

    /// That arrived after [`super::Traffic::mark`] gave this.
    #[must_use]
    pub fn after(self, mark: usize) -> Self {
        Self { after: mark, ..self }
    }

    /// Whether a request is one of them.
    pub fn fits(&self, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == found)
        };
        is(&self.actor, &entry.actor)
            && is(&self.resource, &entry.resource)
            && is(&self.namespace, &entry.namespace)
            && is(&self.name, &entry.name)
            && self.side.is_none_or(|side| side == entry.side)
            && (self.verbs.is_empty() || self.verbs.contains(&entry.verb))
            && (!self.writes || entry.writes())
            && entry.number >= self.after
    }
}
