//! The store in a file, for the demo. The simulator loads it at the start and saves it after each
//! change; it must never leave half a file.

use std::fs;
use std::io;
use std::path::Path;

use super::Tables;

impl Tables {
    /// The tables in a file; a missing file is an empty store.
    pub(crate) fn load(path: &Path) -> io::Result<Self> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        serde_json::from_slice(&text).map_err(io::Error::from)
    }

    /// Writes the tables beside the file, then puts them in its place.
    pub(crate) fn save(&self, path: &Path) -> io::Result<()> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        fs::write(&beside, serde_json::to_vec(self)?)?;
        fs::rename(&beside, path)
    }
}
