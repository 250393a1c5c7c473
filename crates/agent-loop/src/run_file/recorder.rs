//! Writer of run files.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::sync::oneshot;

use super::{HEADER, RunFileError};
use crate::locked::locked;

/// Maximum size in bytes of the lines that wait.
const MAX_WAITING: usize = 64 << 20;

/// Sends lines to the thread that writes them.
#[derive(Debug)]
pub(crate) struct Recorder {
    jobs: Mutex<Sender<Job>>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Size in bytes of the lines that wait.
    waiting: AtomicUsize,
    /// First error. Nothing is written after it.
    error: Mutex<Option<String>>,
}

impl Shared {
    fn fail(&self, reason: String) {
        locked(&self.error).get_or_insert(reason);
    }

    fn error(&self) -> Option<String> {
        locked(&self.error).clone()
    }
}

enum Job {
    Line(Vec<u8>),
    /// Reports that all earlier lines are written.
    Flush(oneshot::Sender<()>),
}

impl Recorder {
    pub(super) fn create(path: &Path) -> Result<Self, RunFileError> {
        let shared = Arc::new(Shared::default());
        let (jobs, received) = mpsc::channel();
        let start = || -> io::Result<()> {
            // Never replace a file: it may be the only record of another run.
            let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
            writeln!(file, "{HEADER}")?;
            let shared = Arc::clone(&shared);
            std::thread::Builder::new()
                .name("run-file".to_owned())
                .spawn(move || write_lines(&mut file, &received, &shared))?;
            Ok(())
        };
        start().map_err(|error| RunFileError::NotCreated {
            reason: error.to_string(),
        })?;
        Ok(Self {
            jobs: Mutex::new(jobs),
            shared,
        })
    }

    pub(super) fn write(&self, entry: &Value) {
        let mut line = entry.to_string().into_bytes();
        line.push(b'\n');
        let waiting = self.shared.waiting.fetch_add(line.len(), Ordering::Relaxed);
        if waiting.saturating_add(line.len()) > MAX_WAITING {
            self.shared.waiting.fetch_sub(line.len(), Ordering::Relaxed);
            self.shared
                .fail(format!("over {MAX_WAITING} bytes wait to be written"));
        } else {
            self.send(Job::Line(line));
        }
    }

    /// Waits until all lines are written. Returns the error that ended the recording.
    pub(crate) async fn flush(&self) -> Option<RunFileError> {
        let (done, is_done) = oneshot::channel();
        self.send(Job::Flush(done));
        let _ = is_done.await;
        let reason = self.shared.error()?;
        Some(RunFileError::NotWritten { reason })
    }

    fn send(&self, job: Job) {
        // The thread ends only after the sender is dropped.
        let _ = locked(&self.jobs).send(job);
    }
}

fn write_lines(file: &mut File, jobs: &Receiver<Job>, shared: &Shared) {
    for job in jobs {
        match job {
            Job::Line(line) => {
                // After an error, write nothing more: a record without its end is right, one with a gap is not.
                if shared.error().is_none()
                    && let Err(error) = file.write_all(&line)
                {
                    shared.fail(error.to_string());
                }
                shared.waiting.fetch_sub(line.len(), Ordering::Relaxed);
            }
            Job::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
}
