//! Files into a folder, all or none.
//!
//! They are written beside where they belong and moved when all are complete. What is there already
//! is overwritten only with leave, and put back if a later move fails. With that leave goes what an
//! earlier export left of kinds of which nothing is left: without its blocks of import, it would be
//! made once more. Where an earlier export held more than this one was asked for, nothing is written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use terdut_core::export::{self, Document, File};

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unwritten {
    /// Files of these names are there.
    #[error("{} has {} already", folder.display(), names.join(", "))]
    Exists {
        /// The folder.
        folder: PathBuf,
        /// The names.
        names: Vec<String>,
    },
    /// Files of an earlier export are there that this one would take the imports from.
    #[error("{} has {} of an earlier export", folder.display(), names.join(", "))]
    Unasked {
        /// The folder.
        folder: PathBuf,
        /// The names.
        names: Vec<String>,
    },
    /// What is there is of another kind.
    #[error("{} is {what}", path.display())]
    Other {
        /// Which one.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The system refused.
    #[error("{} cannot be written", path.display())]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Unwritten {
    /// In a line, with what to do.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Exists { .. } => {
                format!("{self}. Nothing was written: --force overwrites them.")
            }
            Self::Unasked { .. } => format!(
                "{self}, which this one was not asked for: their blocks of import would be lost. \
                 Nothing was written: name another folder, or remove them."
            ),
            Self::Other { .. } => format!("{self}. Nothing was written."),
            Self::Io { source, .. } => format!("{self}: {source}. Nothing was written."),
        }
    }
}

/// Whether it can be a folder, before anything is asked of a server.
pub(super) fn check(folder: &Path) -> Result<(), Unwritten> {
    if folder.exists() && !folder.is_dir() {
        return Err(Unwritten::Other { path: folder.to_owned(), what: "no folder" });
    }
    Ok(())
}

/// Writes the files; the names of those that were removed.
pub(super) fn write(
    folder: &Path,
    document: &Document,
    force: bool,
) -> Result<Vec<&'static str>, Unwritten> {
    let files = &document.files;
    check(folder)?;
    if !folder.exists() {
        return whole(folder, files).map(|()| Vec::new());
    }
    free(folder, files, force)?;
    let exports = |names: &[&'static str]| -> Vec<&'static str> {
        names.iter().copied().filter(|name| is_an_exports(&folder.join(name))).collect()
    };
    let unasked = exports(&document.unasked);
    if !unasked.is_empty() {
        let names = unasked.into_iter().map(ToOwned::to_owned).collect();
        return Err(Unwritten::Unasked { folder: folder.to_owned(), names });
    }
    let left = if force { exports(&document.absent) } else { Vec::new() };
    let stage = folder.join(format!(".terdut-export-{}", std::process::id()));
    let written = fill(&stage, files).and_then(|()| moved(&stage, folder, files, &left));
    // All that matters is elsewhere by now.
    let _ = fs::remove_dir_all(&stage);
    written.map(|()| left)
}

/// A new folder: it appears with all that is in it.
fn whole(folder: &Path, files: &[File]) -> Result<(), Unwritten> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let stage = folder.with_file_name(format!(".{name}.terdut-export-{}", std::process::id()));
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(failed(parent))?;
    }
    let written =
        fill(&stage, files).and_then(|()| fs::rename(&stage, folder).map_err(failed(folder)));
    if written.is_err() {
        let _ = fs::remove_dir_all(&stage);
    }
    written
}

/// Whether the names are free, or may be overwritten.
fn free(folder: &Path, files: &[File], force: bool) -> Result<(), Unwritten> {
    let taken: Vec<_> = files.iter().filter(|file| folder.join(file.name).exists()).collect();
    for file in &taken {
        let path = folder.join(file.name);
        if !path.is_file() {
            return Err(Unwritten::Other { path, what: "no file" });
        }
    }
    if taken.is_empty() || force {
        return Ok(());
    }
    let names = taken.iter().map(|file| file.name.to_owned()).collect();
    Err(Unwritten::Exists { folder: folder.to_owned(), names })
}

/// Whether an export wrote a file: a person's own may have the same name.
fn is_an_exports(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| export::is_an_exports(&text))
}

fn fill(stage: &Path, files: &[File]) -> Result<(), Unwritten> {
    fs::create_dir(stage).map_err(failed(stage))?;
    for file in files {
        let path = stage.join(file.name);
        fs::write(&path, &file.text).map_err(failed(&path))?;
    }
    Ok(())
}

/// Moves the complete files to their places, and those that an earlier export left away; after a
/// failure all is as it was.
fn moved(stage: &Path, folder: &Path, files: &[File], left: &[&str]) -> Result<(), Unwritten> {
    let old = |name: &str| stage.join(format!("{name}.old"));
    let gone = left.iter().map(|name| (*name, false));
    let steps: Vec<_> = gone.chain(files.iter().map(|file| (file.name, true))).collect();
    for (count, (name, comes)) in steps.iter().enumerate() {
        let path = folder.join(name);
        let aside = if path.exists() { fs::rename(&path, old(name)) } else { Ok(()) };
        let place = || if *comes { fs::rename(stage.join(name), &path) } else { Ok(()) };
        if let Err(source) = aside.and_then(|()| place()) {
            for (at, (name, _)) in steps[..=count].iter().enumerate() {
                let place = folder.join(name);
                // What cannot be put back cannot be told better than by the first failure.
                let _ = match old(name).exists() {
                    true => fs::rename(old(name), &place),
                    // What could not be moved is still where it was.
                    false if at == count => Ok(()),
                    false => fs::remove_file(&place),
                };
            }
            return Err(Unwritten::Io { path, source });
        }
    }
    Ok(())
}

fn failed(path: &Path) -> impl Fn(io::Error) -> Unwritten + '_ {
    |source| Unwritten::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Vec<File> {
        ["teams.tf", "users.tf"].map(|name| File { name, text: text.to_owned() }).to_vec()
    }

    fn document(text: &str) -> Document {
        Document { files: files(text), absent: vec!["alert_sources.tf"], ..Document::default() }
    }

    fn contents(folder: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut found: Vec<_> = entries
            .map(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                (name, fs::read_to_string(&path).unwrap_or_default())
            })
            .collect();
        found.sort();
        found
    }

    fn both(text: &str) -> Vec<(String, String)> {
        files(text).into_iter().map(|file| (file.name.to_owned(), file.text)).collect()
    }

    #[test]
    fn a_new_folder_appears_whole_and_an_old_one_keeps_what_is_in_it() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/b");
        write(&folder, &document("1"), false).unwrap();
        assert_eq!(contents(&folder), both("1"));
        let told = write(&folder, &document("2"), false).unwrap_err().told();
        assert!(
            told.contains("has teams.tf, users.tf already") && told.contains("--force"),
            "{told}"
        );
        assert_eq!(contents(&folder), both("1"));
        write(&folder, &document("2"), true).unwrap();
        assert_eq!(contents(&folder), both("2"));
        assert_eq!(contents(&place.path().join("a")).len(), 1);
    }

    #[test]
    fn what_is_no_file_and_what_is_no_folder_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("users.tf")).unwrap();
        let told = write(place.path(), &document("1"), true).unwrap_err().told();
        assert!(told.contains("users.tf is no file"), "{told}");
        assert_eq!(contents(place.path()).len(), 1);
        let file = place.path().join("file");
        fs::write(&file, "x").unwrap();
        assert!(write(&file, &document("1"), true).unwrap_err().told().contains("is no folder"));
    }

    #[test]
    fn what_an_earlier_export_left_goes_only_with_leave_and_nothing_else_goes() {
        let place = tempfile::tempdir().unwrap();
        let (own, name) = ("resource \"terdut_alert_source\" \"a\" {\n}\n", "alert_sources.tf");
        for (name, text) in [(name, own), ("mine.tf", own), ("terraform.tf", own)] {
            fs::write(place.path().join(name), text).unwrap();
        }
        assert!(write(place.path(), &document("1"), false).unwrap().is_empty());
        assert_eq!(contents(place.path()).len(), 5);
        assert_eq!(write(place.path(), &document("2"), true).unwrap(), ["alert_sources.tf"]);
        let there = contents(place.path());
        let there: Vec<_> = there.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(there, ["mine.tf", "teams.tf", "terraform.tf", "users.tf"]);
        // What a person wrote stays, and a folder of that name too.
        fs::write(place.path().join(name), format!("{own}variable \"x\" {{}}\n")).unwrap();
        assert!(write(place.path(), &document("3"), true).unwrap().is_empty());
        fs::remove_file(place.path().join(name)).unwrap();
        fs::create_dir(place.path().join(name)).unwrap();
        assert!(write(place.path(), &document("4"), true).unwrap().is_empty());
    }

    #[test]
    fn an_export_of_less_writes_nothing_beside_files_of_one_of_more() {
        let place = tempfile::tempdir().unwrap();
        let (name, unasked) = ("service_account_keys.tf", vec!["service_account_keys.tf"]);
        let less = Document { unasked, ..document("1") };
        write(place.path(), &document("0"), false).unwrap();
        fs::write(place.path().join(name), "resource \"terdut_service_account_key\" \"a\" {\n}\n")
            .unwrap();
        let before = contents(place.path());
        let told = write(place.path(), &less, true).unwrap_err().told();
        assert!(told.contains(name) && told.contains("not asked for"), "{told}");
        assert_eq!(contents(place.path()), before);
        // A person's own file of that name, or one that says nothing, is no export's.
        for text in ["variable \"x\" {}\n", "# nothing\n", ""] {
            fs::write(place.path().join(name), text).unwrap();
            assert!(write(place.path(), &less, true).unwrap().is_empty(), "{text}");
        }
    }

    #[test]
    fn after_a_move_that_fails_all_is_as_it_was() {
        let place = tempfile::tempdir().unwrap();
        for name in ["alert_sources.tf", "teams.tf"] {
            fs::write(place.path().join(name), "old").unwrap();
        }
        let stage = place.path().join("stage");
        fill(&stage, &files("new")).unwrap();
        // The second file cannot be moved.
        fs::remove_file(stage.join("users.tf")).unwrap();
        assert!(moved(&stage, place.path(), &files("new"), &["alert_sources.tf"]).is_err());
        fs::remove_dir_all(&stage).unwrap();
        let old = ["alert_sources.tf", "teams.tf"].map(|it| (it.to_owned(), "old".to_owned()));
        assert_eq!(contents(place.path()), old);
    }
}
