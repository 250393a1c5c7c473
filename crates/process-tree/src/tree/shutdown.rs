//! Delay of the shutdown of a runtime.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use tokio::runtime::Handle;

/// Maximum time for which a runtime that shuts down waits for programs to exit. They normally need
/// less than a tenth of it.
const MAX_SHUTDOWN_WAIT: Duration = Duration::from_secs(5);

/// Delays the shutdown of a runtime until the processes have exited: the runtime waits for running
/// blocking tasks, and drops queued ones, whose drop waits too.
pub(super) fn delay_shutdown(runtime: &Handle, ended: mpsc::Receiver<()>) {
    let awaited = WaitOnDrop(ended);
    // `spawn_blocking` panics if the system can't start a thread, and a drop must not panic.
    let held = catch_unwind(AssertUnwindSafe(|| {
        runtime.spawn_blocking(move || drop(awaited))
    }));
    if held.is_err() {
        tracing::warn!("no thread to wait for the end of a process tree with");
    }
}

struct WaitOnDrop(mpsc::Receiver<()>);

impl Drop for WaitOnDrop {
    fn drop(&mut self) {
        // An error means that the thread is gone or takes too long.
        let _ = self.0.recv_timeout(MAX_SHUTDOWN_WAIT);
    }
}
