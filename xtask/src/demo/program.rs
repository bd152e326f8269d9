//! Terraform or tofu, run in the demo's folder with what it needs.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value as Json;

use super::folder::Folder;
use crate::shell;

/// The program and its surroundings.
#[derive(Debug)]
pub(super) struct Program {
    path: PathBuf,
    folder: PathBuf,
    settings: PathBuf,
    server: String,
}

impl Program {
    pub(super) fn new(path: PathBuf, folder: &Folder, server: &str) -> Self {
        Self {
            path,
            folder: folder.configuration(),
            settings: folder.settings(),
            server: server.to_owned(),
        }
    }

    /// Runs a command for the person to see.
    pub(super) fn step(&self, title: &str, arguments: &[&str]) -> Result<()> {
        shell::say("");
        shell::run(title, self.command().args(arguments))
    }

    /// An output's value.
    pub(super) fn output(&self, name: &str) -> Result<Json> {
        let text = shell::capture(self.command().args(["output", "-json", name]))?;
        serde_json::from_str(&text).with_context(|| format!("reading the output {name}"))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        // The person's own settings must not reach a server of theirs.
        for name in ["TERDUT_URL", "TERDUT_TOKEN", "TF_WORKSPACE", "TF_DATA_DIR", "TF_CLI_ARGS"] {
            command.env_remove(name);
        }
        command
            .current_dir(&self.folder)
            .env("TF_CLI_CONFIG_FILE", &self.settings)
            .env("TF_IN_AUTOMATION", "1")
            .env("CHECKPOINT_DISABLE", "1")
            .env("TF_VAR_server_url", &self.server)
            .env("TF_VAR_admin_password", "a password for the demo");
        command
    }
}
