//! What is left of a large file that was replaced.

use std::thread::{self, JoinHandle};

use cap_std::fs::{File, Metadata};

use super::place::Place;
use super::platform;

/// Bytes from which on it takes long to give the room of a file back.
const LARGE: u64 = 1024 * 1024;

/// A large file that is about to be replaced. As long as it is open, the disk keeps its room.
///
/// A rename gives back the room of the file that had the name, and that can take as long as to write another: nobody has
/// to wait for it.
#[derive(Debug)]
pub(super) struct Replaced {
    file: File,
}

impl Replaced {
    /// Opens the file at a place; `None` where that is not worth it, or where the disk needs the room now.
    pub(super) fn hold(place: &Place, old: &Metadata) -> Option<Self> {
        let room = || platform::room_in(&place.folder);
        if !is_to_be_held(old.len(), room) {
            return None;
        }
        let file = platform::open_entry(&place.folder, &place.name).ok()?;
        Some(Self { file })
    }

    /// Gives the room back, on a thread of its own.
    pub(super) fn let_go(self) -> Option<JoinHandle<()>> {
        // Without a thread it is dropped here.
        let thread = thread::Builder::new().name("room".to_owned());
        thread.spawn(move || drop(self.file)).ok()
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
    fn a_large_file_is_held_until_it_is_let_go() {
        for (len, is_held) in [(LARGE - 1, false), (LARGE, true)] {
            let content = "x".repeat(usize::try_from(len).unwrap());
            let scratch = Scratch::new().file("a.txt", &content);
            let workspace = Workspace::open(scratch.path()).unwrap();
            let place = workspace.place("path", "a.txt", false).unwrap();

            let held = Replaced::hold(&place, &place.metadata().unwrap());
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
