//! A Unix socket in a folder of its own.

use std::io;
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use super::ServeError;
use super::folder::Folder;

/// The most bytes of a path that every Unix can bind (macOS has the smallest limit), without the
/// zero at its end.
const LONGEST: usize = 103;

/// A bound Unix socket; its file vanishes with it.
#[derive(Debug)]
pub(super) struct UnixSocket {
    listener: UnixListener,
    folder: Folder,
}

impl UnixSocket {
    /// Binds in a new folder below `above`, open to `group` if there is one.
    pub(super) fn bind(above: &Path, group: Option<&str>) -> Result<Self, ServeError> {
        let folder = Folder::make(above, group)?;
        let path = folder.socket();
        if !fit(&path) {
            return Err(ServeError::Path { path, limit: LONGEST });
        }
        let listener = UnixListener::bind(&path)
            .and_then(|listener| folder.open_socket().map(|()| listener))
            .map_err(|source| ServeError::Listen { address: path.display().to_string(), source })?;
        Ok(Self { listener, folder })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.socket()
    }

    pub(super) async fn accept(&self) -> io::Result<UnixStream> {
        self.listener.accept().await.map(|(stream, _)| stream)
    }
}

/// Whether `path` fits into a socket's address and into the handshake line.
fn fit(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    text.len() <= LONGEST
        && !text.contains(&b'|')
        && !text.contains(&b'\n')
        && path.to_str().is_some()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn the_socket_is_its_owners_alone() {
        let above = tempfile::tempdir().unwrap();
        let socket = UnixSocket::bind(above.path(), None).unwrap();
        assert_eq!(mode(&socket.path()), 0o600);
        assert_eq!(mode(socket.path().parent().unwrap()), 0o700);
    }

    #[tokio::test]
    async fn the_hosts_group_may_use_the_socket() {
        let above = tempfile::tempdir().unwrap();
        let group = fs::metadata(above.path()).unwrap().gid();
        let socket = UnixSocket::bind(above.path(), Some(&group.to_string())).unwrap();
        assert_eq!(mode(&socket.path()), 0o660);
        assert_eq!(mode(socket.path().parent().unwrap()), 0o710);
        assert_eq!(fs::metadata(socket.path()).unwrap().gid(), group);
    }

    #[tokio::test]
    async fn a_group_nobody_knows_is_refused_by_name() {
        let above = tempfile::tempdir().unwrap();
        let error = UnixSocket::bind(above.path(), Some("no-such-group")).unwrap_err();
        assert!(error.to_string().contains("no-such-group"));
    }

    #[tokio::test]
    async fn nothing_is_left_behind() {
        let above = tempfile::tempdir().unwrap();
        drop(UnixSocket::bind(above.path(), None).unwrap());
        assert_eq!(fs::read_dir(above.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn two_plugins_share_a_folder() {
        let above = tempfile::tempdir().unwrap();
        let one = UnixSocket::bind(above.path(), None).unwrap();
        let two = UnixSocket::bind(above.path(), None).unwrap();
        assert_ne!(one.path(), two.path());
    }

    #[tokio::test]
    async fn a_path_too_long_for_a_socket_is_refused() {
        let above = tempfile::tempdir().unwrap();
        let deep = above.path().join("d".repeat(100));
        fs::create_dir(&deep).unwrap();
        let error = UnixSocket::bind(&deep, None).unwrap_err();
        assert!(matches!(error, ServeError::Path { .. }));
        assert_eq!(fs::read_dir(&deep).unwrap().count(), 0);
    }
}
