//! What is left of a large file that was replaced.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};

use cap_std::fs::{File, Metadata};

use super::place::Place;
use super::platform;

/// Bytes from which on it takes long to give the room of a file back.
const LARGE: u64 = 1024 * 1024;

/// How many files may be held at once, each with a thread of its own in the end.
const MOST_HELD: usize = 4;

/// The turns of the whole process: threads are what a process has too few of.
pub(super) static TURNS: Turns = Turns(AtomicUsize::new(0));

/// How many files are held.
#[derive(Debug)]
pub(super) struct Turns(AtomicUsize);

/// One of the files that may be held.
#[derive(Debug)]
struct Turn(&'static Turns);

impl Turns {
    fn take(&'static self) -> Option<Turn> {
        let one_more = |held| (held < MOST_HELD).then_some(held + 1);
        let taken = self.0.fetch_update(Relaxed, Relaxed, one_more);
        taken.is_ok().then_some(Turn(self))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Relaxed);
    }
}

/// A large file that is about to be replaced. As long as it is open, the disk keeps its room.
///
/// A rename gives back the room of the file that had the name, and that can take as long as to write another: nobody has
/// to wait for it.
#[derive(Debug)]
pub(super) struct Replaced {
    file: File,
    turn: Turn,
}

impl Replaced {
    /// Opens the file at a place; `None` where that is not worth it, where the disk needs the room now, or where enough files
    /// are held.
    pub(super) fn hold(place: &Place, old: &Metadata, turns: &'static Turns) -> Option<Self> {
        let room = || platform::room_in(&place.folder);
        if !is_to_be_held(old.len(), room) {
            return None;
        }
        let turn = turns.take()?;
        let file = platform::open_entry(&place.folder, &place.name).ok()?;
        Some(Self { file, turn })
    }

    /// Gives the room back, on a thread of its own.
    pub(super) fn let_go(self) -> Option<JoinHandle<()>> {
        // Without a thread it is dropped here.
        let thread = thread::Builder::new().name("room".to_owned());
        let Self { file, turn } = self;
        let give_back = move || {
            drop(file);
            drop(turn);
        };
        thread.spawn(give_back).ok()
    }
}

/// Whether a file of `len` bytes is large, and there is `room` for several of them beside.
fn is_to_be_held(len: u64, room: impl FnOnce() -> Option<u64>) -> bool {
    len >= LARGE && room().is_some_and(|room| room / 4 >= len)
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;
    use crate::Workspace;

    #[test]
    fn small_files_are_not_held_nor_any_where_room_is_short() {
        for (len, room, expected) in [
            (LARGE - 1, Some(u64::MAX), false),
            (LARGE, Some(4 * LARGE), true),
            (LARGE, Some(4 * LARGE - 1), false),
            (LARGE, None, false),
            (u64::MAX, Some(u64::MAX), false),
        ] {
            assert_eq!(is_to_be_held(len, || room), expected, "{len} {room:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn so_many_files_are_held_and_no_more_until_one_is_let_go() {
        static TURNS: Turns = Turns(AtomicUsize::new(0));
        let scratch = Scratch::new().file("a.txt", "x".repeat(usize::try_from(LARGE).unwrap()));
        let workspace = Workspace::open(scratch.path()).unwrap();
        let place = workspace.place("path", "a.txt", false).unwrap();
        let old = place.metadata().unwrap();

        let mut held: Vec<_> = (0..MOST_HELD)
            .map(|_| Replaced::hold(&place, &old, &TURNS).unwrap())
            .collect();

        assert!(Replaced::hold(&place, &old, &TURNS).is_none());
        let thread = held.pop().and_then(Replaced::let_go).unwrap();
        thread.join().unwrap();
        assert!(Replaced::hold(&place, &old, &TURNS).is_some());
    }

    #[test]
    #[cfg(unix)]
    fn a_large_file_is_held_until_it_is_let_go() {
        static TURNS: Turns = Turns(AtomicUsize::new(0));
        for (len, is_held) in [(LARGE - 1, false), (LARGE, true)] {
            let content = "x".repeat(usize::try_from(len).unwrap());
            let scratch = Scratch::new().file("a.txt", &content);
            let workspace = Workspace::open(scratch.path()).unwrap();
            let place = workspace.place("path", "a.txt", false).unwrap();

            let held = Replaced::hold(&place, &place.metadata().unwrap(), &TURNS);
            std::fs::remove_file(scratch.path().join("a.txt")).unwrap();

            assert_eq!(held.is_some(), is_held);
            let left = held
                .as_ref()
                .map(|held| held.file.metadata().unwrap().len());
            assert_eq!(left, is_held.then_some(len));
            if let Some(thread) = held.and_then(Replaced::let_go) {
                thread.join().unwrap();
            }
        }
    }
}
