//! Delayed deletion of large replaced files.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};

use cap_std::fs::{File, Metadata};

use super::destination::Destination;
use super::platform;

/// Minimum size in bytes of a file that takes long to delete.
const LARGE: u64 = 1024 * 1024;

/// Maximum number of held files, each of which is finally closed on its own thread.
const MAX_HELD: usize = 4;

/// Slots of the process, because the number of threads is limited per process.
pub(super) static SLOTS: Slots = Slots(AtomicUsize::new(0));

/// Number of held files.
#[derive(Debug)]
pub(super) struct Slots(AtomicUsize);

/// Slot of one held file.
#[derive(Debug)]
struct Slot(&'static Slots);

impl Slots {
    fn take(&'static self) -> Option<Slot> {
        let one_more = |held| (held < MAX_HELD).then_some(held + 1);
        let taken = self.0.fetch_update(Relaxed, Relaxed, one_more);
        taken.is_ok().then_some(Slot(self))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

/// Large file that is about to be replaced. While it is open, the file system keeps its blocks.
///
/// A rename frees the blocks of the replaced file, which can take as long as writing another file.
/// The call should not wait for it.
#[derive(Debug)]
pub(super) struct ReplacedFile {
    file: File,
    slot: Slot,
}

impl ReplacedFile {
    /// Opens the file at a place. Returns `None` if the file is small, the space is needed
    /// immediately, or too many files are held.
    pub(super) fn hold(
        destination: &Destination,
        old: &Metadata,
        slots: &'static Slots,
    ) -> Option<Self> {
        let room = || platform::free_space(&destination.directory);
        if !should_hold(old.len(), room) {
            return None;
        }
        let slot = slots.take()?;
        let file = platform::open_entry(&destination.directory, &destination.name).ok()?;
        Some(Self { file, slot })
    }

    /// Closes the file on a separate thread, which frees its blocks.
    pub(super) fn release(self) -> Option<JoinHandle<()>> {
        // If the thread does not start, the file is closed here.
        let thread = thread::Builder::new().name("room".to_owned());
        let Self { file, slot } = self;
        let close = move || {
            drop(file);
            drop(slot);
        };
        thread.spawn(close).ok()
    }
}

/// Returns whether a file of `len` bytes is large and several files of its size fit into the free
/// space.
fn should_hold(len: u64, room: impl FnOnce() -> Option<u64>) -> bool {
    len >= LARGE && room().is_some_and(|room| room / 4 >= len)
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;
    use crate::Workspace;

    #[test]
    fn holds_only_large_files_with_free_space() {
        for (len, room, expected) in [
            (LARGE - 1, Some(u64::MAX), false),
            (LARGE, Some(4 * LARGE), true),
            (LARGE, Some(4 * LARGE - 1), false),
            (LARGE, None, false),
            (u64::MAX, Some(u64::MAX), false),
        ] {
            assert_eq!(should_hold(len, || room), expected, "{len} {room:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn limits_number_of_held_files() {
        static SLOTS: Slots = Slots(AtomicUsize::new(0));
        let scratch = Scratch::new().file("a.txt", "x".repeat(usize::try_from(LARGE).unwrap()));
        let workspace = Workspace::open(scratch.path()).unwrap();
        let destination = workspace.destination("path", "a.txt", false).unwrap();
        let old = destination.metadata().unwrap();

        let mut held: Vec<_> = (0..MAX_HELD)
            .map(|_| ReplacedFile::hold(&destination, &old, &SLOTS).unwrap())
            .collect();

        assert!(ReplacedFile::hold(&destination, &old, &SLOTS).is_none());
        let thread = held.pop().and_then(ReplacedFile::release).unwrap();
        thread.join().unwrap();
        assert!(ReplacedFile::hold(&destination, &old, &SLOTS).is_some());
    }

    #[test]
    #[cfg(unix)]
    fn holds_large_file_until_release() {
        static SLOTS: Slots = Slots(AtomicUsize::new(0));
        for (len, is_held) in [(LARGE - 1, false), (LARGE, true)] {
            let content = "x".repeat(usize::try_from(len).unwrap());
            let scratch = Scratch::new().file("a.txt", &content);
            let workspace = Workspace::open(scratch.path()).unwrap();
            let destination = workspace.destination("path", "a.txt", false).unwrap();

            let held = ReplacedFile::hold(&destination, &destination.metadata().unwrap(), &SLOTS);
            std::fs::remove_file(scratch.path().join("a.txt")).unwrap();

            assert_eq!(held.is_some(), is_held);
            let left = held
                .as_ref()
                .map(|held| held.file.metadata().unwrap().len());
            assert_eq!(left, is_held.then_some(len));
            if let Some(thread) = held.and_then(ReplacedFile::release) {
                thread.join().unwrap();
            }
        }
    }
}
