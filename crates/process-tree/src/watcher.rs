//! Process that terminates the trees after the end of this process.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::marks::own_id;
use crate::descendants::Entry;

/// Script of the watcher. It uses only tools of POSIX and the files in `/proc`.
const SCRIPT: &str = include_str!("watcher/watcher.sh");

/// Search path of the script.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Places of the program that starts another one in its own session. Without it, the watcher has
/// its own process group, which signals of a terminal do not reach either.
const SETSID: [&str; 2] = ["/usr/bin/setsid", "/bin/setsid"];

/// Bytes that a pipe accepts entirely or not at all.
const MAX_LINE: usize = 4096;

/// Shell that waits until this process has ended and then terminates its trees.
///
/// The pipe to its standard input closes when this process ends, however that happens.
#[derive(Debug)]
pub(crate) struct Watcher(Mutex<Watching>);

#[derive(Debug)]
struct Watching {
    child: Option<Child>,
    /// Scripts that the watcher runs at the end, for the next one if this one is killed.
    scripts: BTreeSet<PathBuf>,
}

impl Watcher {
    /// Starts the watcher for the trees in the cgroups below `parent`.
    pub(crate) fn start(parent: Option<&Path>) -> Self {
        Self(Mutex::new(Watching {
            child: spawn(parent),
            scripts: BTreeSet::new(),
        }))
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.watching().child.as_ref().map(Child::id)
    }

    /// Starts the watcher again if it was killed.
    pub(crate) fn restart_if_ended(&self, parent: Option<&Path>) {
        let mut watching = self.watching();
        let child = watching.child.as_mut();
        if !child.is_some_and(|child| matches!(child.try_wait(), Ok(None))) {
            watching.child = spawn(parent);
            let scripts = watching.scripts.clone();
            for script in scripts {
                // It was accepted before, so only a watcher that was killed again fails.
                let _ = watching.tell(b'+', &script);
            }
        }
    }

    /// Makes the watcher run `script` at the end.
    pub(crate) fn add(&self, script: &Path) -> io::Result<()> {
        let mut watching = self.watching();
        watching.tell(b'+', script)?;
        watching.scripts.insert(script.to_owned());
        Ok(())
    }

    /// Makes the watcher forget `script`.
    pub(crate) fn forget(&self, script: &Path) {
        let mut watching = self.watching();
        if watching.scripts.remove(script) {
            let _ = watching.tell(b'-', script);
        }
    }

    fn watching(&self) -> MutexGuard<'_, Watching> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watching {
    fn tell(&mut self, sign: u8, script: &Path) -> io::Result<()> {
        let path = script.as_os_str().as_bytes();
        let line = [&[sign], path, b"\n"].concat();
        if path.contains(&b'\n') || line.len() > MAX_LINE {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let input = self.child.as_mut().and_then(|child| child.stdin.as_mut());
        input.ok_or(io::ErrorKind::BrokenPipe)?.write_all(&line)
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
    let child = child.ok()?;
    // A watcher that was stopped must not block us when its pipe is full.
    if let Some(input) = &child.stdin
        && let Ok(flags) = fcntl_getfl(input)
    {
        let _ = fcntl_setfl(input, flags | OFlags::NONBLOCK);
    }
    Some(child)
}
