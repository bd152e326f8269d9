//! The same source in another folder gives the same bytes, or a release cannot be checked by anybody.
//!
//! Used by `dist --verify`. The other folder differs in everything that builders differ in: where
//! the source lies, where cargo builds and where it keeps its downloads.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::sums;
use crate::shell::{self, say};
use crate::ship::{self, PROVIDER, Place};

/// Builds again elsewhere and compares.
pub(super) fn compare(first: &Path, triple: &str, place: &Place) -> Result<()> {
    let folder = tempfile::tempdir().context("making another folder")?;
    let other = Place {
        source: folder.path().join("another checkout"),
        target: folder.path().join("built"),
        downloads: folder.path().join("downloads"),
        library: place.library.clone(),
    };
    copy_source(&place.source, &other.source)?;
    link_downloads(&place.downloads, &other.downloads)?;
    say(&format!("== build it again in {}", other.source.display()));
    let second = ship::build(PROVIDER, triple, &other)?;
    let (one, two) = (fs::read(first)?, fs::read(&second)?);
    free_of_places(&one, place)?;
    if one != two {
        let kept = folder.keep();
        bail!("{} and {} differ; see {}", sums::sum(&one), sums::sum(&two), kept.display());
    }
    say(&format!("   twice the same: {}  {} bytes", sums::sum(&one), one.len()));
    Ok(())
}

/// Copies what git tracks, as it stands here.
fn copy_source(from: &Path, to: &Path) -> Result<()> {
    let listed = shell::capture(shell::command("git").args(["ls-files", "-z"]))?;
    for name in listed.split_terminator('\0') {
        let (file, copy) = (from.join(name), to.join(name));
        if file.is_file() {
            fs::create_dir_all(copy.parent().unwrap_or(to))?;
            fs::copy(&file, &copy).with_context(|| format!("copying {name}"))?;
        }
    }
    Ok(())
}

/// Another folder with the same downloads: nothing is fetched a second time.
fn link_downloads(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let entry = entry?;
        symlink(entry.path(), to.join(entry.file_name())).context("linking the downloads")?;
    }
    Ok(())
}

/// No path of the machine that built it is in the program.
fn free_of_places(program: &[u8], place: &Place) -> Result<()> {
    for path in [&place.source, &place.target, &place.downloads, &place.library.path] {
        let path = path.to_string_lossy();
        let holds = program.windows(path.len()).any(|part| part == path.as_bytes());
        if holds {
            bail!("the program holds the path {path} of the machine that built it");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_the_machine_in_the_program_is_named() {
        let place = Place::here().unwrap();
        free_of_places(b"\x7fELF /source/core/src/lib.rs", &place).unwrap();
        let told = format!("\x7fELF {}/core/src/lib.rs", place.source.display());
        let error = free_of_places(told.as_bytes(), &place).unwrap_err().to_string();
        assert!(error.contains(&place.source.display().to_string()), "{error}");
    }

    #[test]
    fn the_other_folder_has_the_same_source_and_the_same_downloads() {
        let place = Place::here().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let [source, downloads] = ["source", "downloads"].map(|name| folder.path().join(name));
        copy_source(&place.source, &source).unwrap();
        link_downloads(&place.downloads, &downloads).unwrap();
        for name in ["Cargo.lock", ".cargo/config.toml", "provider/src/main.rs"] {
            assert_eq!(
                fs::read(source.join(name)).unwrap(),
                fs::read(place.source.join(name)).unwrap()
            );
        }
        assert!(!source.join("target").exists());
        assert!(downloads.join("registry").is_dir());
    }
}
