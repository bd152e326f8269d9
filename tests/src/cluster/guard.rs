//! Nothing stays behind, however a test program ends.
//!
//! A test program's statics are never dropped, and it may be killed. So a small shell waits at the
//! end of a pipe whose other end only this program holds: when the pipe closes, the shell kills the
//! processes and removes the folders that it was told of. [`super::process`] and
//! [`super::control_plane`] tell it.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

const SCRIPT: &str = r#"
pids=" "
folders=""
while read -r verb what; do
  case $verb in
    watch) pids="$pids$what " ;;
    forget) case $pids in *" $what "*) pids="${pids%% "$what" *} ${pids#* "$what" }" ;; esac ;;
    folder) folders="$folders$what
" ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
printf '%s' "$folders" | while read -r folder; do
  for again in 1 2 3 4 5; do rm -rf -- "$folder" 2>/dev/null && break; sleep 0.2; done
done
"#;

/// Ends this process with the test program.
pub(super) fn watch(pid: u32) {
    tell(&format!("watch {pid}"));
}

/// The process has ended: its number may belong to another now.
pub(super) fn forget(pid: u32) {
    tell(&format!("forget {pid}"));
}

/// Removes this folder with the test program.
pub(super) fn folder(path: &Path) {
    tell(&format!("folder {}", path.display()));
}

fn tell(line: &str) {
    static GUARD: OnceLock<Mutex<Child>> = OnceLock::new();
    let guard = GUARD.get_or_init(|| Mutex::new(start()));
    let mut guard = guard.lock().unwrap_or_else(PoisonError::into_inner);
    let pipe = guard.stdin.as_mut().expect("its standard input is a pipe");
    writeln!(pipe, "{line}").expect("the guard listens");
}

/// It is never waited for: it ends after this program.
fn start() -> Child {
    let mut shell = Command::new("sh");
    // A group of its own: what a terminal sends to the tests must not reach it.
    shell.args(["-c", SCRIPT]).process_group(0);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.spawn().expect("sh starts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_ends_the_watched_and_spares_the_forgotten() {
        let sleep = || Command::new("sleep").arg("60").spawn().unwrap();
        let (mut watched, mut forgotten, mut other) = (sleep(), sleep(), sleep());
        let folder = tempfile::tempdir().unwrap().keep();
        let mut guard =
            Command::new("sh").args(["-c", SCRIPT]).stdin(Stdio::piped()).spawn().unwrap();
        let mut pipe = guard.stdin.take().unwrap();
        for pid in [watched.id(), forgotten.id(), other.id()] {
            writeln!(pipe, "watch {pid}").unwrap();
        }
        writeln!(pipe, "forget {}\nfolder {}", forgotten.id(), folder.display()).unwrap();
        drop(pipe);
        guard.wait().unwrap();
        assert!(!watched.wait().unwrap().success());
        assert!(!other.wait().unwrap().success());
        assert!(forgotten.try_wait().unwrap().is_none(), "it still runs");
        assert!(!folder.exists());
        forgotten.kill().unwrap();
        forgotten.wait().unwrap();
    }
}
