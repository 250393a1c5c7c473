//! Process that terminates the trees after the end of this process.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::marks::own_id;
use crate::descendants::Entry;

/// Script of the watcher. It uses only tools of POSIX and the files in `/proc`.
const SCRIPT: &str = include_str!("watcher/watcher.sh");

/// Search path of the script.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Places of the program that starts another one in its own session. Without it, the watcher has
/// its own process group, which signals of a terminal do not reach either.
const SETSID: [&str; 2] = ["/usr/bin/setsid", "/bin/setsid"];

/// Shell that waits until this process has ended and then terminates its trees.
///
/// The pipe to its standard input closes when this process ends, however that happens.
#[derive(Debug)]
pub(crate) struct Watcher(Mutex<Option<Child>>);

impl Watcher {
    /// Starts the watcher for the trees in the cgroups below `parent`.
    pub(crate) fn start(parent: Option<&Path>) -> Self {
        Self(Mutex::new(spawn(parent)))
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.child().as_ref().map(Child::id)
    }

    /// Starts the watcher again if it was killed.
    pub(crate) fn restart_if_ended(&self, parent: Option<&Path>) {
        let mut child = self.child();
        let runs = child
            .as_mut()
            .is_some_and(|child| matches!(child.try_wait(), Ok(None)));
        if !runs {
            *child = spawn(parent);
        }
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn spawn(parent: Option<&Path>) -> Option<Child> {
    let setsid = SETSID.iter().find(|path| Path::new(path).is_file());
    let mut command = Command::new(setsid.unwrap_or(&"/bin/sh"));
    if setsid.is_some() {
        command.arg("/bin/sh");
    } else {
        command.process_group(0);
    }
    // `getpgrp` of rustix panics if the group is outside the PID namespace.
    let group = Entry::read(process::id()).map_or(0, |entry| entry.group);
    let child = command
        .args(["-c", SCRIPT, "process-tree", own_id()])
        .arg(parent.map_or_else(PathBuf::new, Path::to_path_buf))
        .arg(group.to_string())
        .env_clear()
        .env("PATH", PATH)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = &child {
        tracing::warn!(%error, process = process::id(), "no watcher for process trees");
    }
    child.ok()
}
