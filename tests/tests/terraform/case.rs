//! A kind's life as a table: what it is made of, what is changed, how it is imported.

/// What a change has to be planned as.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Expected {
    /// In place.
    Update,
    /// A replacement because of exactly these attributes.
    Replace(&'static [&'static str]),
}

/// One change of a configuration.
#[derive(Debug)]
pub(crate) struct Change {
    /// What is changed, for messages.
    pub(crate) name: &'static str,
    /// The whole configuration after it.
    pub(crate) config: String,
    /// How it has to be planned.
    pub(crate) expected: Expected,
    /// What the plan has to say.
    pub(crate) says: &'static str,
}

/// A kind's life.
#[derive(Debug)]
pub(crate) struct Case {
    /// The object that it is about.
    pub(crate) address: &'static str,
    /// The configuration that it begins and ends with.
    pub(crate) config: String,
    /// Changes, each from the one before.
    pub(crate) changes: Vec<Change>,
    /// Import ids; `{attribute}` stands for the state's value.
    pub(crate) imports: &'static [&'static str],
    /// Further objects of the configuration with their import ids, so that a later plan is empty.
    pub(crate) beside: &'static [(&'static str, &'static str)],
}

impl Case {
    /// A life that begins with `config`.
    pub(crate) fn new(address: &'static str, config: impl Into<String>) -> Self {
        let config = config.into();
        Self { address, config, changes: Vec::new(), imports: &[], beside: &[] }
    }

    /// Adds a change that has to be made in place.
    pub(crate) fn updates(self, name: &'static str, config: impl Into<String>) -> Self {
        self.change(name, config, Expected::Update, "")
    }

    /// Adds a change that has to replace the object, and what the plan has to say about it.
    pub(crate) fn replaces(
        self,
        name: &'static str,
        config: impl Into<String>,
        paths: &'static [&'static str],
        says: &'static str,
    ) -> Self {
        self.change(name, config, Expected::Replace(paths), says)
    }

    fn change(
        mut self,
        name: &'static str,
        config: impl Into<String>,
        expected: Expected,
        says: &'static str,
    ) -> Self {
        self.changes.push(Change { name, config: config.into(), expected, says });
        self
    }

    /// Says how it is imported, and how the objects beside it are.
    pub(crate) fn imported(
        mut self,
        imports: &'static [&'static str],
        beside: &'static [(&'static str, &'static str)],
    ) -> Self {
        self.imports = imports;
        self.beside = beside;
        self
    }
}
