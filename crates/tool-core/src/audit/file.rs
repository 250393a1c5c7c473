//! Audit logs in files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::{AuditEvent, AuditLog, AuditWrite};

/// Audit log in a file: one line of JSON per event, appended with one write.
///
/// The file is readable only by its owner (mode 0600 on Unix, even if it existed before), links are rejected, and the file is
/// only appended to. The host must place it outside every workspace, so that no tool can write to it. Lines of concurrent
/// calls never mix. The line of a call that is not dangerous is written to the system, but not synced.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_core::audit::AuditFile;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let path = std::env::temp_dir().join(format!("audit-{}.jsonl", std::process::id()));
/// let registry = Registry::builder().audit(AuditFile::open(&path)?).build();
/// registry.execute("nope", json!({})).await;
///
/// let lines = std::fs::read_to_string(&path)?;
/// assert_eq!(lines.lines().count(), 2);
/// # std::fs::remove_file(&path)?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct AuditFile(Arc<Mutex<Lines>>);

impl AuditFile {
    /// Opens or creates a log. Blocks briefly, so call it at the start of a program. After an incomplete last line, the next
    /// event begins a new line.
    ///
    /// # Errors
    /// Fails if the path is a link or not a regular file, or cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        // Check before opening: opening a pipe waits for a reader.
        if fs::symlink_metadata(path).is_ok_and(|known| !known.is_file()) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "an audit log must be a regular file",
            ));
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        let is_torn = is_torn(&mut file)?;
        Ok(Self::of(file, is_torn))
    }

    fn of(file: File, is_torn: bool) -> Self {
        Self(Arc::new(Mutex::new(Lines { file, is_torn })))
    }
}

impl AuditLog for AuditFile {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Written now, because a write that waits for its turn could change the order. The system buffers it.
        let written = lines.append(&event);
        if written.is_err() || !event.must_be_durable() {
            return Box::pin(async { written });
        }
        // Synced on another thread, because a disk takes milliseconds.
        let file = lines.file.try_clone();
        Box::pin(async {
            let file = file?;
            tokio::task::spawn_blocking(move || file.sync_data()).await?
        })
    }
}

#[derive(Debug)]
struct Lines {
    file: File,
    /// Whether the last line is incomplete.
    is_torn: bool,
}

impl Lines {
    fn append(&mut self, event: &AuditEvent) -> io::Result<()> {
        let mut line = Vec::new();
        if self.is_torn {
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, event)?;
        line.push(b'\n');
        let count = self.file.write(&line)?;
        self.is_torn = count < line.len();
        if self.is_torn {
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(())
    }
}

/// Returns `true` if the last line is incomplete, as after a crash.
fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::Timestamp;
    use crate::audit::AuditedText;

    /// A directory that is removed on drop.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new() -> Self {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let number = NEXT.fetch_add(1, Ordering::SeqCst);
            let path = std::env::temp_dir().join(format!("audit-{}-{number}", std::process::id()));
            fs::create_dir(&path).unwrap();
            Self(path)
        }

        fn log(&self) -> PathBuf {
            self.0.join("audit.jsonl")
        }

        fn text(&self) -> String {
            fs::read_to_string(self.log()).unwrap()
        }

        /// Returns the ids of the complete lines.
        fn ids(&self) -> Vec<String> {
            let text = self.text();
            let events = text.lines().map(serde_json::from_str::<AuditEvent>);
            events.map(|event| event.unwrap().call_id).collect()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn event(id: &str) -> AuditEvent {
        AuditEvent {
            time: Timestamp::now(),
            call_id: id.to_owned(),
            parent_id: None,
            tool: "f".to_owned(),
            definition_digest: None,
            arguments: AuditedText {
                text: Some("two\nlines".to_owned()),
                ..AuditedText::default()
            },
            risk: Some(crate::RiskLevel::Dangerous),
            decision: None,
            rule: None,
            result: None,
        }
    }

    #[tokio::test]
    async fn events_are_lines_readable_by_owner() {
        let scratch = Scratch::new();
        fs::write(scratch.log(), "").unwrap();
        fs::set_permissions(scratch.log(), fs::Permissions::from_mode(0o644)).unwrap();
        let log = AuditFile::open(scratch.log()).unwrap();

        for id in ["1", "2"] {
            log.record(event(id)).await.unwrap();
        }

        assert_eq!(scratch.ids(), ["1", "2"]);
        let mode = fs::metadata(scratch.log()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn concurrent_lines_are_complete() {
        let scratch = Scratch::new();
        let log = AuditFile::open(scratch.log()).unwrap();
        let write = |task: usize| {
            let log = log.clone();
            tokio::spawn(async move {
                for id in 0..50 {
                    log.record(event(&format!("{task}-{id}"))).await.unwrap();
                }
            })
        };

        for task in (0..8).map(write).collect::<Vec<_>>() {
            task.await.unwrap();
        }

        let mut ids = scratch.ids();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 400);
    }

    #[test]
    fn rejects_links_and_directories() {
        let scratch = Scratch::new();
        fs::write(scratch.0.join("target"), "").unwrap();
        symlink(scratch.0.join("target"), scratch.log()).unwrap();

        for path in [scratch.log(), scratch.0.clone()] {
            let error = AuditFile::open(path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        }
    }

    #[tokio::test]
    async fn full_disk_fails_every_event() {
        let device = PathBuf::from("/dev/full");
        if !device.exists() {
            return;
        }
        let file = OpenOptions::new().append(true).open(device).unwrap();
        let log = AuditFile::of(file, false);

        for _ in 0..2 {
            assert!(log.record(event("1")).await.is_err());
        }
    }

    #[tokio::test]
    async fn torn_line_does_not_damage_next_line() {
        let scratch = Scratch::new();
        fs::write(scratch.log(), "{\"event\":\"bef").unwrap();
        let log = AuditFile::open(scratch.log()).unwrap();

        log.record(event("1")).await.unwrap();

        let text = scratch.text();
        let (torn, whole) = text.split_once('\n').unwrap();
        assert_eq!(torn, "{\"event\":\"bef");
        let read: AuditEvent = serde_json::from_str(whole).unwrap();
        assert_eq!(read.call_id, "1");
    }

    #[tokio::test]
    async fn reopened_log_continues() {
        let scratch = Scratch::new();
        for id in ["1", "2", "3"] {
            let log = AuditFile::open(scratch.log()).unwrap();
            log.record(event(id)).await.unwrap();
        }

        assert_eq!(scratch.ids(), ["1", "2", "3"]);
    }
}
