//! SHA256SUMS, as `sha256sum -c` and the registries read it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// The sums of files, a line each, by name.
pub(super) fn of(files: &[PathBuf]) -> Result<String> {
    let mut lines = Vec::new();
    for file in files {
        let bytes = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        lines.push((name.into_owned(), sum(&bytes)));
    }
    lines.sort();
    let lines: Vec<_> = lines.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    Ok(lines.concat())
}

/// The sum of bytes.
pub(super) fn sum(bytes: &[u8]) -> String {
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16));
    Sha256::digest(bytes).iter().flat_map(digits).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_lines_in_the_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["b.zip", "a.json"].map(|name| folder.path().join(name));
        fs::write(&files[0], "").unwrap();
        fs::write(&files[1], "abc").unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of(&files).unwrap(), format!("{abc}  a.json\n{empty}  b.zip\n"));
    }
}
