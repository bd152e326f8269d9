//! The folder around a plugin's socket: made for one process, gone with it.
//!
//! Nobody but its owner can enter it, unless the host names a group. Knows no sockets.

use std::collections::hash_map::RandomState;
use std::fs::{self, DirBuilder, Permissions};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::{Gid, Group, chown};

use super::ServeError;

const ATTEMPTS: usize = 16;

/// A folder with one socket in it; both are removed on drop.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    group: Option<Gid>,
}

impl Folder {
    /// Makes a folder below `above` which the members of `group` can enter, too.
    pub(super) fn make(above: &Path, group: Option<&str>) -> Result<Self, ServeError> {
        let group = group.map(find_group).transpose()?;
        let unusable = |source| ServeError::Folder { folder: above.to_owned(), source };
        let folder = Self { path: make_below(above).map_err(unusable)?, group };
        folder.open_to_group(&folder.path, 0o710).map_err(unusable)?;
        Ok(folder)
    }

    /// Where the socket belongs.
    pub(super) fn socket(&self) -> PathBuf {
        self.path.join("s")
    }

    /// Lets the owner, and the host's group, use the socket.
    pub(super) fn open_socket(&self) -> io::Result<()> {
        let socket = self.socket();
        fs::set_permissions(&socket, Permissions::from_mode(0o600))?;
        self.open_to_group(&socket, 0o660)
    }

    fn open_to_group(&self, path: &Path, mode: u32) -> io::Result<()> {
        let Some(group) = self.group else { return Ok(()) };
        chown(path, None, Some(group))?;
        fs::set_permissions(path, Permissions::from_mode(mode))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The host clears its own folder away after us; nothing depends on these.
        let _ = fs::remove_file(self.socket());
        let _ = fs::remove_dir(&self.path);
    }
}

fn make_below(above: &Path) -> io::Result<PathBuf> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..ATTEMPTS {
        let path = above.join(format!("plugin{:08x}", random() >> 32));
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// The standard library seeds its hash maps at random, which is enough for a name nobody shares.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

fn find_group(group: &str) -> Result<Gid, ServeError> {
    if let Ok(number) = group.parse() {
        return Ok(Gid::from_raw(number));
    }
    match Group::from_name(group) {
        Ok(Some(found)) => Ok(found.gid),
        Ok(None) | Err(_) => Err(ServeError::Group { group: group.to_owned() }),
    }
}
