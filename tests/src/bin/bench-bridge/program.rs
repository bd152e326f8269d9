//! The program that is measured, as a file.

use std::path::Path;

/// The kind of a segment that names the loader of a program that is not static.
const INTERPRETER: usize = 3;

/// What is known of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program {
    /// Its size in bytes.
    pub(crate) bytes: u64,
    /// Whether it needs no loader and no library.
    pub(crate) is_static: bool,
}

impl Program {
    /// Looks at a file.
    ///
    /// # Panics
    /// If it cannot be read.
    pub(crate) fn of(path: &Path) -> Self {
        let bytes = std::fs::read(path).expect("the bridge's program can be read");
        let is_static = names_no_loader(&bytes) == Some(true);
        Self { bytes: bytes.len() as u64, is_static }
    }
}

/// Reads the segments of a 64-bit little-endian ELF file; `None` if it is none.
fn names_no_loader(file: &[u8]) -> Option<bool> {
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let number = |at: usize, length: usize| {
        let bytes = file.get(at..at + length)?;
        let value = bytes.iter().rev().fold(0_u64, |value, byte| (value << 8) | u64::from(*byte));
        usize::try_from(value).ok()
    };
    let (start, length, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let mut segments = (0..count).map(|segment| number(start + segment * length, 4));
    Some(segments.all(|kind| kind.is_some_and(|kind| kind != INTERPRETER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(kinds: &[u8]) -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        file.resize(64, 0);
        (file[32], file[54], file[56]) = (64, 56, u8::try_from(kinds.len()).unwrap());
        for kind in kinds {
            file.push(*kind);
            file.resize(file.len() + 55, 0);
        }
        file
    }

    #[test]
    fn a_program_with_a_loader_is_not_static() {
        assert_eq!(names_no_loader(&elf(&[1, 2])), Some(true));
        assert_eq!(names_no_loader(&elf(&[1, 3, 2])), Some(false));
        assert_eq!(names_no_loader(b"#!/bin/sh"), None);
    }
}
