//! Temporary files, which replace a file when they are complete.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{File, Metadata, OpenOptions};

use super::destination::Destination;
use super::file::FileStamp;
use super::platform;

const ATTEMPTS: usize = 16;

/// File with a temporary name. It is removed unless it is renamed to its final name.
#[derive(Debug)]
pub(super) struct TemporaryFile<'p> {
    destination: &'p Destination,
    name: PathBuf,
    file: File,
    published: bool,
}

impl<'p> TemporaryFile<'p> {
    /// Creates a file next to `destination`. It receives the permissions of `old`.
    pub(super) fn next_to(
        destination: &'p Destination,
        old: Option<&Metadata>,
    ) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        // In the same directory, because a rename can't cross file systems. `create_new` doesn't follow a symlink.
        options.write(true).create_new(true);
        // Until the mode of the old file is copied, other users must not read possible secrets.
        platform::set_mode(&mut options, if old.is_some() { 0o600 } else { 0o666 });
        let mut attempt = 0;
        loop {
            let name = random_name();
            match destination.directory.open_with(&name, &options) {
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS =>
                {
                    attempt += 1;
                }
                outcome => {
                    return outcome.map(|file| Self {
                        destination,
                        name,
                        file,
                        published: false,
                    });
                }
            }
        }
    }

    /// Writes the content and syncs it. A file without an old one gets this mode.
    pub(super) fn fill(
        &mut self,
        content: &[u8],
        old: Option<&Metadata>,
        mode: Option<u32>,
    ) -> io::Result<()> {
        self.file.write_all(content)?;
        if let (None, Some(mode)) = (old, mode) {
            platform::change_mode(&self.file, mode)?;
        }
        if let Some(old) = old {
            platform::copy_owner_and_mode(old, &self.file)?;
            let (directory, name) = (&self.destination.directory, &self.destination.name);
            platform::copy_attributes(directory, name, &self.file);
        }
        // Before the rename: after a power failure, the name could otherwise refer to an empty file.
        self.file.sync_all()
    }

    /// Renames the file to its final name, replacing the old file. Returns `false` if the old file is not the expected one,
    /// which then stays.
    pub(super) fn replace(mut self, expected: FileStamp) -> io::Result<bool> {
        let directory = &self.destination.directory;
        let is_replaced = match self.exchange(expected) {
            Ok(Some(is_replaced)) => is_replaced,
            // The file system cannot exchange names.
            Ok(None) => {
                directory.rename(&self.name, directory, &self.destination.name)?;
                self.published = true;
                true
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        platform::sync_directory(directory);
        Ok(is_replaced)
    }

    /// Exchanges the names of both files, and then checks the old one: a rename alone would lose what a program without
    /// our locks wrote since the last check.
    fn exchange(&self, expected: FileStamp) -> io::Result<Option<bool>> {
        let (directory, name) = (&self.destination.directory, &self.destination.name);
        if !platform::exchange(directory, &self.name, name)? {
            return Ok(None);
        }
        let there = directory.symlink_metadata(&self.name);
        if there.is_ok_and(|there| FileStamp::of(&there) == expected) {
            // The old file has the temporary name, under which it is removed on drop.
            return Ok(Some(true));
        }
        platform::exchange(directory, &self.name, name)?;
        let own = platform::identity(&self.file.metadata()?);
        if platform::identity(&directory.symlink_metadata(&self.name)?) != own {
            // Another program replaced our file in between, so that its file is the newest.
            platform::exchange(directory, &self.name, name)?;
        }
        Ok(Some(false))
    }

    /// Renames the file to its final name, which must not exist.
    pub(super) fn create(mut self) -> io::Result<()> {
        let directory = &self.destination.directory;
        self.published = platform::rename_to_new(directory, &self.name, &self.destination.name)?;
        if !self.published {
            // Unlike `rename`, `link` fails if the name exists. The temporary name is removed on drop.
            directory.hard_link(&self.name, directory, &self.destination.name)?;
        }
        platform::sync_directory(directory);
        Ok(())
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.published {
            // Ignore errors: nothing else can be done.
            let _ = self.destination.directory.remove_file(&self.name);
        }
    }
}

fn random_name() -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = RandomState::new().hash_one(NEXT.fetch_add(1, Ordering::Relaxed));
    format!(".toolwright-{number:016x}.tmp").into()
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn replaces_the_expected_file_only() {
        let scratch = Scratch::new().file("a.txt", "old");
        let workspace = Workspace::open(scratch.path()).unwrap();
        let destination = workspace.destination("path", "a.txt", false).unwrap();
        let old = FileStamp::of(&destination.metadata().unwrap());
        let new = |content: &[u8]| {
            let mut file = TemporaryFile::next_to(&destination, None).unwrap();
            file.fill(content, None, None).unwrap();
            file
        };

        let (early, late) = (new(b"early"), new(b"late"));
        assert!(early.replace(old).unwrap());
        // A rename would replace what the first one wrote.
        assert!(!late.replace(old).unwrap());

        assert_eq!(scratch.read("a.txt"), "early");
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
        let last = new(b"last");
        destination.directory.remove_file("a.txt").unwrap();
        assert!(!last.replace(old).unwrap());
        assert!(!scratch.has("a.txt"));
    }
}
