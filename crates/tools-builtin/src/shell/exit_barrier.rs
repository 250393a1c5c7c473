//! Wait for the end of programs whose tools are dropped.

use std::convert::Infallible;
use std::fmt;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Maximum time for which dropping the last owner waits. Programs normally exit within a tenth of
/// it.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Programs of tools that are dropped together. Dropping the last clone waits until the programs
/// have exited, so that a host that exits afterwards leaves none.
#[derive(Clone)]
pub(crate) struct ExitBarrier(Arc<Inner>);

struct Inner {
    /// `None` only during drop.
    sender: Option<ExitToken>,
    ended: Mutex<Receiver<Infallible>>,
}

/// Part of a program that is dropped when all its processes have exited.
// Nothing is ever sent: the receiver wakes up when the last sender is dropped, even if its thread panics.
pub(crate) type ExitToken = Sender<Infallible>;

impl ExitBarrier {
    /// Returns a value that delays the drop of the last owner while it exists.
    pub(crate) fn running(&self) -> Option<ExitToken> {
        self.0.sender.clone()
    }
}

impl Default for ExitBarrier {
    fn default() -> Self {
        let (sender, ended) = mpsc::channel();
        Self(Arc::new(Inner {
            sender: Some(sender),
            ended: Mutex::new(ended),
        }))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Our own sender first, or the wait below could only finish by its timeout.
        self.sender = None;
        let ended = self.ended.get_mut();
        // An error means that no program is left, or that one takes too long.
        let _ = ended
            .unwrap_or_else(PoisonError::into_inner)
            .recv_timeout(MAX_WAIT);
    }
}

impl fmt::Debug for ExitBarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExitBarrier")
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;

    #[test]
    fn last_drop_waits_until_programs_end() {
        let exit_barrier = ExitBarrier::default();
        let running = exit_barrier.running();
        let clone = exit_barrier.clone();
        let program = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            let ended = Instant::now();
            drop(running);
            ended
        });

        drop(clone);
        drop(exit_barrier);

        let dropped = Instant::now();
        assert!(program.join().unwrap() <= dropped);
    }

    #[test]
    fn last_drop_waits_at_most_two_seconds() {
        let exit_barrier = ExitBarrier::default();
        let _running = exit_barrier.running();
        let since = Instant::now();

        drop(exit_barrier);

        assert!(since.elapsed() >= MAX_WAIT);
    }
}
