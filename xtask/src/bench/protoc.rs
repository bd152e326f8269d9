//! This program under the name `protoc`: just enough of it for the build script of a crate that
//! insists on one.
//!
//! `main` asks whether it was started by that name. Only `bench provider` makes such a link, for
//! the peer on tf-provider; our own generated code needs nothing of this.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

const NAME: &str = "protoc";

/// Whether this process was started as `protoc`.
pub(crate) fn is_meant() -> bool {
    std::env::args_os()
        .next()
        .is_some_and(|name| Path::new(&name).file_name() == Some(NAME.as_ref()))
}

/// Makes a link to this program that is called `protoc`.
pub(super) fn link_into(folder: &Path) -> Result<PathBuf> {
    let link = folder.join(NAME);
    let own = std::env::current_exe().context("this program does not know where it is")?;
    std::fs::remove_file(&link).ok();
    std::fs::hard_link(&own, &link)
        .or_else(|_| std::fs::copy(&own, &link).map(drop))
        .with_context(|| format!("linking {}", link.display()))?;
    Ok(link)
}

/// What prost's build scripts ask of it.
#[derive(Debug, Default)]
struct Asked {
    version: bool,
    includes: Vec<PathBuf>,
    files: Vec<PathBuf>,
    output: Option<PathBuf>,
}

impl Asked {
    fn read(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let mut asked = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.to_str() {
                Some("--version") => asked.version = true,
                Some("-I") => asked.includes.extend(arguments.next().map(PathBuf::from)),
                Some("-o") => asked.output = arguments.next().map(PathBuf::from),
                // The others ask for what is always done here.
                Some(flag) if flag.starts_with('-') => {}
                _ => asked.files.push(argument.into()),
            }
        }
        asked
    }
}

/// Does what was asked.
pub(crate) fn run() -> Result<()> {
    let asked = Asked::read(std::env::args_os().skip(1));
    if asked.version {
        crate::shell::say("libprotoc 29.0");
        return Ok(());
    }
    let mut compiler = protox::Compiler::new(&asked.includes)?;
    compiler.include_imports(true).include_source_info(true).open_files(&asked.files)?;
    let output = asked.output.context("there is no -o FILE")?;
    std::fs::write(&output, compiler.encode_file_descriptor_set())
        .with_context(|| format!("writing {}", output.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_with_and_without_a_value_are_told_apart_from_files() {
        let line = "--include_imports -o out -I one -I two --experimental_x a.proto b.proto";
        let asked = Asked::read(line.split(' ').map(OsString::from));
        let paths = |names: [&str; 2]| names.map(PathBuf::from).to_vec();
        assert_eq!(asked.includes, paths(["one", "two"]));
        assert_eq!(asked.files, paths(["a.proto", "b.proto"]));
        assert_eq!((asked.output, asked.version), (Some(PathBuf::from("out")), false));
    }
}
