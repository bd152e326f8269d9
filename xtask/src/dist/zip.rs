//! The zip of a platform: the program and the licence, the same bytes each time.
//!
//! Used by `dist`. It holds no time and no owner, which would differ from build to build.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::shell;

/// The licence, under the name that it has in the source.
pub(super) const LICENCE: &str = "LICENSE";

/// Packs a program under a name.
pub(super) fn pack(archive: &Path, name: &str, program: &Path) -> Result<()> {
    let file = File::create(archive).with_context(|| format!("making {}", archive.display()))?;
    let mut writer = ZipWriter::new(file);
    add(&mut writer, LICENCE, &shell::root().join(LICENCE), 0o644)?;
    add(&mut writer, name, program, 0o755)?;
    writer.finish().context("ending the zip")?;
    Ok(())
}

fn add(writer: &mut ZipWriter<File>, name: &str, from: &Path, mode: u32) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("reading {}", from.display()))?;
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(mode);
    writer.start_file(name, options)?;
    writer.write_all(&bytes).with_context(|| format!("packing {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zip_holds_a_program_that_can_be_run_and_is_the_same_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let [program, first, second] =
            ["program", "1.zip", "2.zip"].map(|name| folder.path().join(name));
        fs::write(&program, "code").unwrap();
        pack(&first, "terraform-provider-terdut_v1.2.3", &program).unwrap();
        pack(&second, "terraform-provider-terdut_v1.2.3", &program).unwrap();
        assert_eq!(fs::read(&first).unwrap(), fs::read(&second).unwrap());
        let mut archive = zip::ZipArchive::new(File::open(&first).unwrap()).unwrap();
        let names: Vec<_> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
        assert_eq!(names, ["LICENSE", "terraform-provider-terdut_v1.2.3"]);
        let packed = archive.by_name("terraform-provider-terdut_v1.2.3").unwrap();
        assert_eq!(packed.unix_mode().unwrap() & 0o777, 0o755);
    }
}
