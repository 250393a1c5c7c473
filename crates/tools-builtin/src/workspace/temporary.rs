//! Temporary files, renamed when they are complete.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{File, Metadata, OpenOptions};

use super::destination::Destination;
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

    /// Writes the content and syncs it.
    pub(super) fn fill(&mut self, content: &[u8], old: Option<&Metadata>) -> io::Result<()> {
        self.file.write_all(content)?;
        if let Some(old) = old {
            platform::copy_owner_and_mode(old, &self.file)?;
            let (directory, name) = (&self.destination.directory, &self.destination.name);
            platform::copy_attributes(directory, name, &self.file);
        }
        // Before the rename: after a power failure, the name could otherwise refer to an empty file.
        self.file.sync_all()
    }

    /// Renames the file to its final name, replacing the old file.
    pub(super) fn replace(mut self) -> io::Result<()> {
        let directory = &self.destination.directory;
        directory.rename(&self.name, directory, &self.destination.name)?;
        self.published = true;
        platform::sync_directory(directory);
        Ok(())
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
