//! Record of the protected files on disk while commands run. If this process ends before it can restore them, the
//! watcher of the process trees does so with a script, or else the next process.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use process_tree::{HostEndScript, ProcessTrees};

use super::script::Script;
use crate::shell::sandbox::SandboxUnavailable;
use crate::workspace::Workspace;

const PREFIX: &str = "protected-";

/// Script that restores the files. While no command runs, it has the other name, under which nothing runs it.
const ACTIVE: &str = "restore.sh";
const IDLE: &str = "idle";

/// File that is locked while the process of the record is running.
const LOCK: &str = "held";

/// Time for the watcher of a process that has ended to kill its commands and to restore the files.
const WATCHER_TIME: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 5000 });
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum number of records of one process and workspace.
const MAX_RECORDS: usize = 1000;

/// Record of one confinement, removed on drop unless something could not be restored.
#[derive(Debug)]
pub(super) struct Record {
    above: Dir,
    name: String,
    dir: Dir,
    #[expect(dead_code, reason = "closing the file releases the lock")]
    lock: File,
    script: Option<HostEndScript>,
    written: Mutex<Written>,
}

#[derive(Debug, Default)]
struct Written {
    text: Vec<u8>,
    /// Number of snapshots that have not been restored.
    running: usize,
}

impl Record {
    /// Opens a record for `workspace`. First restores what processes that have ended left behind in it. Returns `None` if the
    /// workspace has no place for it.
    ///
    /// # Errors
    /// Returns an error if a file that is protected in this workspace cannot be restored.
    pub(super) fn open(workspace: &Workspace) -> Result<Option<Self>, SandboxUnavailable> {
        let Some((above, path, name)) = workspace.state_place() else {
            return Ok(None);
        };
        let prefix = format!("{PREFIX}{name}-");
        recover(&above, &path, &prefix)?;
        let opened = Self::create(above, &path, &prefix);
        Ok(opened.inspect_err(warn).ok())
    }

    fn create(above: Dir, path: &Path, prefix: &str) -> io::Result<Self> {
        let name = new_directory(&above, prefix)?;
        let dir = above.open_dir(&name)?;
        // Under another name until it is locked: otherwise, another process could take the record for an abandoned one.
        let lock = dir.create(IDLE)?.into_std();
        lock.lock()?;
        dir.rename(IDLE, &dir, LOCK)?;
        let script = ProcessTrees::at_host_end(path.join(&name).join(ACTIVE))?;
        Ok(Self {
            above,
            name,
            dir,
            lock,
            script: Some(script),
            written: Mutex::default(),
        })
    }

    /// Runs `script` if this process ends before the result is dropped.
    pub(super) fn hold(self: &Arc<Self>, script: &Script) -> io::Result<Held> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let text = script.text();
        // Some file systems flush a file that replaces another one, which takes longer than most commands.
        let is_new = text != written.text;
        if is_new {
            written.text.clear();
            self.write(&text, &script.copies)?;
            written.text = text;
        }
        if is_new || written.running == 0 {
            self.dir.rename(IDLE, &self.dir, ACTIVE)?;
        }
        written.running += 1;
        Ok(Held {
            record: Arc::clone(self),
            is_lost: AtomicBool::new(false),
        })
    }

    fn write(&self, text: &[u8], copies: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
        for (name, content) in copies {
            if self.dir.symlink_metadata(name).is_err() {
                // A copy that is truncated must not get its name.
                create(&self.dir, IDLE, content)?;
                self.dir.rename(IDLE, &self.dir, name)?;
            }
        }
        create(&self.dir, IDLE, text)?;
        for entry in self.dir.entries()? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if !copies.contains_key(&name) && ![IDLE, ACTIVE, LOCK].contains(&name.as_str()) {
                self.dir.remove_file(&name)?;
            }
        }
        Ok(())
    }

    fn release(&self) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.running = written.running.saturating_sub(1);
        if written.running == 0
            && let Err(error) = self.dir.rename(ACTIVE, &self.dir, IDLE)
        {
            warn(&error);
            written.text.clear();
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let written = self.written.get_mut();
        let script = self.script.take();
        if written.unwrap_or_else(PoisonError::into_inner).running > 0 {
            // The watcher tries again what could not be restored.
            std::mem::forget(script);
        } else {
            drop(script);
            let _ = self.above.remove_dir_all(&self.name);
        }
    }
}

/// Keeps the script of a snapshot active.
#[derive(Debug)]
pub(super) struct Held {
    record: Arc<Record>,
    is_lost: AtomicBool,
}

impl Held {
    /// Sets whether the script stays active after the drop, because something could not be restored.
    pub(super) fn set_lost(&self, is_lost: bool) {
        self.is_lost.store(is_lost, Ordering::Relaxed);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.is_lost.load(Ordering::Relaxed) {
            self.record.release();
        }
    }
}

/// Logs that the files would stay changed if this process were killed.
pub(super) fn warn(error: &io::Error) {
    tracing::warn!(%error, "protected files are not restored if this process is killed");
}

fn new_directory(above: &Dir, prefix: &str) -> io::Result<String> {
    for number in 0..MAX_RECORDS {
        let name = format!("{prefix}{}-{number}", process::id());
        match above.create_dir(&name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => return created.map(|()| name),
        }
    }
    Err(ErrorKind::QuotaExceeded.into())
}

fn create(dir: &Dir, name: &str, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    dir.open_with(name, &options)?.write_all(content)
}

/// Restores what processes that have ended left behind in the same workspace, and removes their records.
fn recover(above: &Dir, path: &Path, prefix: &str) -> Result<(), SandboxUnavailable> {
    for entry in above.entries().into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(prefix)
            && let Err(error) = recover_one(above, path, &name)
        {
            tracing::error!(%error, "protected files could not be restored");
            return Err(SandboxUnavailable::Lost(".git".to_owned()));
        }
    }
    Ok(())
}

fn recover_one(above: &Dir, path: &Path, name: &str) -> io::Result<()> {
    let dir = above.open_dir(name)?;
    let held = match dir.open(LOCK) {
        // Another process is creating it, or has removed it.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        held => held?.into_std(),
    };
    match held.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(error),
        Ok(()) => {}
    }
    let is_active = || dir.symlink_metadata(ACTIVE).is_ok();
    let began = Instant::now();
    // Commands of the other process may be running until its watcher has killed them.
    while is_active() && began.elapsed() < WATCHER_TIME {
        sleep(POLL_INTERVAL);
    }
    if is_active() {
        run(&path.join(name).join(ACTIVE))?;
    }
    if is_active() {
        return Err(io::Error::other("the script failed"));
    }
    match above.remove_dir_all(name) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn run(script: &PathBuf) -> io::Result<()> {
    let mut command = Command::new("/bin/sh");
    command.arg(script).env_clear().current_dir("/");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().map(drop)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tool_test::Scratch;

    use super::super::repositories::Searches;
    use super::super::snapshot::Snapshot;
    use super::*;

    struct Layout {
        scratch: Scratch,
        workspace: Workspace,
    }

    fn layout() -> Layout {
        let scratch = Scratch::new().file("root/.git/config", "kept\n");
        let workspace = Workspace::builder()
            .root(scratch.path().join("root"))
            .checkpoints_in(scratch.path().join("state"));
        Layout {
            workspace: workspace.build().unwrap(),
            scratch,
        }
    }

    impl Layout {
        fn hold(&self) -> Held {
            let record = Arc::new(Record::open(&self.workspace).unwrap().unwrap());
            let snapshot = Snapshot::take(&self.workspace, &Searches::default()).unwrap();
            record.hold(&snapshot.script()).unwrap()
        }

        /// Returns the number of records.
        fn count(&self) -> usize {
            fs::read_dir(self.scratch.path().join("state"))
                .unwrap()
                .count()
        }

        /// Leaves the record of a process that was killed, and whose watcher was killed too.
        fn kill(&self, held: Held) {
            let record = &held.record;
            let state = self.scratch.path().join("state");
            let left = state.join(record.name.replace(&process::id().to_string(), "0"));
            fs::create_dir(&left).unwrap();
            for entry in fs::read_dir(state.join(&record.name)).unwrap() {
                let path = entry.unwrap().path();
                fs::copy(&path, left.join(path.file_name().unwrap())).unwrap();
            }
            drop(held);
            assert_eq!(self.count(), 1);
        }
    }

    #[test]
    fn next_process_restores_what_a_killed_one_left() {
        let layout = layout();
        let held = layout.hold();
        fs::write(layout.scratch.path().join("root/.git/config"), "evil\n").unwrap();
        layout.kill(held);

        let next = Record::open(&layout.workspace).unwrap();

        assert_eq!(layout.scratch.read("root/.git/config"), "kept\n");
        assert_eq!(layout.count(), 1);
        drop(next);
        assert_eq!(layout.count(), 0);
    }

    #[test]
    fn failed_restoration_stops_the_next_process_too() {
        let layout = layout();
        let held = layout.hold();
        let script = layout.scratch.path().join("state").join(&held.record.name);
        let script = script.join(ACTIVE);
        let text = fs::read_to_string(&script).unwrap();
        fs::write(&script, text.replace("\nfinish", "\nfailed=1\nfinish")).unwrap();
        layout.kill(held);

        let error = Record::open(&layout.workspace).unwrap_err();

        assert!(matches!(error, SandboxUnavailable::Lost(_)), "{error}");
        assert_eq!(layout.count(), 1);
    }

    #[test]
    fn record_of_a_running_process_is_left_alone() {
        let layout = layout();
        let held = layout.hold();
        fs::write(layout.scratch.path().join("root/.git/config"), "running\n").unwrap();

        let next = layout.hold();

        assert_eq!(layout.scratch.read("root/.git/config"), "running\n");
        assert_eq!(layout.count(), 2);
        drop((held, next));
        assert_eq!(layout.count(), 0);
    }

    #[test]
    fn what_could_not_be_restored_is_left_to_the_watcher() {
        let layout = layout();
        let held = layout.hold();
        held.set_lost(true);

        drop(held);

        assert_eq!(layout.count(), 1);
    }
}
