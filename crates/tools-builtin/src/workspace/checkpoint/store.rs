//! Contents and records of checkpoints on disk.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _, Permissions, PermissionsExt as _};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::tree::{Change, Digest, Stamp};
use super::{MAX_AGE, MAX_CHECKPOINTS, MAX_FILE_BYTES, MAX_STORE_BYTES};

/// Bytes that are collected before they are written to the pack.
const BUFFER_BYTES: usize = 256 * 1024;

/// Bytes before each content in the pack: its digest and its length.
const HEADER_BYTES: usize = 40;

/// Processes that can have checkpoints of one workspace at the same time.
const MAX_PROCESSES: usize = 8;

/// Stores of other workspaces that are checked for their age when one is opened.
const MAX_CHECKED: usize = 1000;

const LOCK: &str = "lock";
const PACK: &str = "pack";
const NEW_PACK: &str = "pack.new";
const CALLS: &str = "calls";

/// Changes of one call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) number: u64,
    pub(super) call_id: String,
    pub(super) changes: Vec<Change>,
}

/// Store of one workspace, which one process uses at a time.
#[derive(Debug)]
pub(super) struct Store {
    above: Dir,
    name: String,
    dir: Dir,
    lock: File,
    pack: File,
    places: HashMap<Digest, Place>,
    /// Contents that are not written yet.
    pending: Vec<u8>,
    /// Size of the pack, with what is pending.
    pack_bytes: u64,
    /// Oldest first.
    pub(super) records: Vec<Record>,
    next: u64,
}

/// Place of a content in the pack.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: u64,
    length: usize,
}

impl Store {
    /// Opens the store with this name below `state`, or the next free one if other processes use it.
    ///
    /// # Errors
    /// Returns an I/O error, or `WouldBlock` if too many processes have one.
    pub(super) fn open(state: &Path, name: &str) -> io::Result<Self> {
        let above = open_above(state)?;
        for number in 0..MAX_PROCESSES {
            let name = format!("{name}-{number}");
            let Some((dir, lock)) = locked(&above, &name)? else {
                continue;
            };
            let mut options = OpenOptions::new();
            options.read(true).append(true).create(true).mode(0o600);
            let pack = dir.open_with(PACK, &options)?.into_std();
            let mut store = Self {
                above,
                name,
                dir,
                lock,
                pack,
                places: HashMap::new(),
                pending: Vec::new(),
                pack_bytes: 0,
                records: Vec::new(),
                next: 0,
            };
            store.load()?;
            store.expire()?;
            // What only the last process needed: the first scan adds what is still in the workspace.
            store.compact(HashSet::new())?;
            store.remove_old_stores();
            return Ok(store);
        }
        Err(ErrorKind::WouldBlock.into())
    }

    fn load(&mut self) -> io::Result<()> {
        self.index_pack()?;
        match self.dir.create_dir(CALLS) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let calls = self.dir.open_dir(CALLS)?;
        for entry in calls.entries()? {
            let text = calls.read(entry?.file_name())?;
            // A record that was truncated by a crash is useless, but no reason to lose the others.
            self.records.extend(serde_json::from_slice::<Record>(&text));
        }
        self.records.sort_by_key(|record| record.number);
        self.next = self.records.last().map_or(0, |last| last.number + 1);
        Ok(())
    }

    /// Reads where each content of the pack is, and removes a last one that was truncated.
    fn index_pack(&mut self) -> io::Result<()> {
        let end = self.pack.metadata()?.len();
        let (mut at, mut header) = (0, [0; HEADER_BYTES]);
        while at + HEADER_BYTES as u64 <= end {
            self.pack.read_exact_at(&mut header, at)?;
            let (digest, length) = header.split_at(32);
            let digest = Digest(digest.try_into().map_err(io::Error::other)?);
            let length = u64::from_le_bytes(length.try_into().map_err(io::Error::other)?);
            let start = at + HEADER_BYTES as u64;
            if length > MAX_FILE_BYTES || start + length > end {
                break;
            }
            at = start + length;
            let length = usize::try_from(length).map_err(io::Error::other)?;
            self.places.insert(digest, Place { start, length });
        }
        self.pack.set_len(at)?;
        self.pack_bytes = at;
        Ok(())
    }

    /// Removes stores that no process uses and that are older than [`MAX_AGE`].
    fn remove_old_stores(&self) {
        let Ok(entries) = self.above.entries() else {
            return;
        };
        for entry in entries.take(MAX_CHECKED).flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_old = entry
                .open_dir()
                .and_then(|dir| dir.metadata(LOCK)?.modified())
                .is_ok_and(|used| is_older(used.into_std()));
            if is_old
                && name != self.name
                && let Ok(Some(_held)) = locked(&self.above, &name)
            {
                let _ = self.above.remove_dir_all(&name);
            }
        }
    }

    /// Keeps a content. Returns `None` if the store is full.
    pub(super) fn put(&mut self, content: &[u8]) -> io::Result<Option<Digest>> {
        let digest = Digest::of(content);
        if self.places.contains_key(&digest) {
            return Ok(Some(digest));
        }
        let length = content.len();
        let needed = (HEADER_BYTES + length) as u64;
        if self.pack_bytes + needed > MAX_STORE_BYTES {
            return Ok(None);
        }
        self.pending.extend(header(digest, length));
        self.pending.extend(content);
        let start = self.pack_bytes + HEADER_BYTES as u64;
        self.pack_bytes += needed;
        self.places.insert(digest, Place { start, length });
        if self.pending.len() >= BUFFER_BYTES {
            self.flush()?;
        }
        Ok(Some(digest))
    }

    /// Writes what is pending.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let written = self.pack.write_all(&self.pending);
        self.pending.clear();
        if written.is_err() {
            // A part may be there; without this, every later place would be wrong.
            self.places.clear();
            self.index_pack()?;
        }
        written
    }

    /// Returns a content, whose digest is checked: the file may have been damaged since.
    pub(super) fn get(&mut self, digest: Digest) -> io::Result<Vec<u8>> {
        self.flush()?;
        let place = *self.places.get(&digest).ok_or(ErrorKind::NotFound)?;
        let content = self.read(place)?;
        if Digest::of(&content) != digest {
            return Err(ErrorKind::InvalidData.into());
        }
        Ok(content)
    }

    fn read(&self, Place { start, length }: Place) -> io::Result<Vec<u8>> {
        let mut content = vec![0; length];
        self.pack.read_exact_at(&mut content, start)?;
        Ok(content)
    }

    /// Adds a record.
    pub(super) fn add(&mut self, call_id: &str, changes: Vec<Change>) -> io::Result<()> {
        let record = Record {
            number: self.next,
            call_id: call_id.to_owned(),
            changes,
        };
        self.next += 1;
        self.save(record)?;
        // Its time says when the store was last used.
        self.lock.write_all(b".")?;
        self.expire()
    }

    /// Removes the records that are too many or too old.
    fn expire(&mut self) -> io::Result<()> {
        let extra = self.records.len().saturating_sub(MAX_CHECKPOINTS);
        let mut old: Vec<u64> = Vec::new();
        for (index, record) in self.records.iter().enumerate() {
            let saved = self.dir.metadata(record_name(record.number));
            let used = saved.and_then(|saved| saved.modified());
            if index < extra || used.is_ok_and(|used| is_older(used.into_std())) {
                old.push(record.number);
            }
        }
        old.into_iter().try_for_each(|number| self.remove(number))
    }

    /// Writes a record, which replaces the one with its number.
    pub(super) fn save(&mut self, record: Record) -> io::Result<()> {
        let text = serde_json::to_vec(&record)?;
        self.write(&record_name(record.number), &text)?;
        self.records.retain(|other| other.number != record.number);
        self.records.push(record);
        self.records.sort_by_key(|record| record.number);
        Ok(())
    }

    /// Removes a record. Its contents stay until the store is compacted.
    pub(super) fn remove(&mut self, number: u64) -> io::Result<()> {
        self.dir.remove_file(record_name(number))?;
        self.records.retain(|record| record.number != number);
        Ok(())
    }

    /// Returns the number of the next record.
    pub(super) fn next_number(&self) -> u64 {
        self.next
    }

    /// Returns the size of all contents in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.pack_bytes
    }

    /// Removes all contents but `live` and those of the records.
    pub(super) fn compact(&mut self, mut live: HashSet<Digest>) -> io::Result<()> {
        for record in &self.records {
            let states = record.changes.iter();
            let states = states.flat_map(|change| [&change.before, &change.after]);
            live.extend(states.flatten().filter_map(super::tree::State::digest));
        }
        self.flush()?;
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        // A compaction that failed half way.
        let _ = self.dir.remove_file(NEW_PACK);
        let mut pack = self.dir.open_with(NEW_PACK, &options)?.into_std();
        for (&digest, &place) in &self.places {
            if live.contains(&digest) {
                pack.write_all(&header(digest, place.length))?;
                pack.write_all(&self.read(place)?)?;
            }
        }
        self.dir.rename(NEW_PACK, &self.dir, PACK)?;
        self.pack = pack;
        self.places.clear();
        self.records.clear();
        self.load()
    }

    /// Writes a file that is complete or not there.
    fn write(&self, name: &str, content: &[u8]) -> io::Result<()> {
        const NEW: &str = "new";
        let _ = self.dir.remove_file(NEW);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        self.dir.open_with(NEW, &options)?.write_all(content)?;
        self.dir.rename(NEW, &self.dir, name)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Without a record, its contents are only a cache that the next process makes again.
        if self.records.is_empty() {
            let _ = self.above.remove_dir_all(&self.name);
        }
    }
}

/// Opens the directory above all stores, which is created with access for the user only.
#[expect(
    clippy::disallowed_methods,
    reason = "the path of the host, not of a model"
)]
pub(super) fn open_above(state: &Path) -> io::Result<Dir> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(state)?;
    let above = Dir::open_ambient_dir(state, ambient_authority())?;
    // It may have existed with other permissions, and it will hold copies of private files.
    above.set_permissions(".", Permissions::from_mode(0o700))?;
    Ok(above)
}

/// Opens the directory of a store and locks it. Returns `None` if another process has the lock.
fn locked(above: &Dir, name: &str) -> io::Result<Option<(Dir, File)>> {
    match above.create_dir(name) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let dir = above.open_dir(name)?;
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    let lock = dir.open_with(LOCK, &options)?.into_std();
    if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(None);
    }
    // Another process may have removed the directory between the two steps.
    let here = Stamp::of_entry(&dir, LOCK.as_ref()).ok();
    let is_here =
        here.is_some_and(|here| Stamp::of_handle(&lock).is_ok_and(|held| held.is_same_file(&here)));
    Ok(is_here.then_some((dir, lock)))
}

fn is_older(time: SystemTime) -> bool {
    SystemTime::now()
        .duration_since(time)
        .is_ok_and(|age| age > MAX_AGE)
}

fn header(digest: Digest, length: usize) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    let (first, last) = header.split_at_mut(32);
    first.copy_from_slice(&digest.0);
    last.copy_from_slice(&(length as u64).to_le_bytes());
    header
}

fn record_name(number: u64) -> String {
    format!("{CALLS}/{number:016x}.json")
}

/// Returns the directory for the checkpoints of this user: `toolwright/checkpoints` in
/// `XDG_STATE_HOME` or `~/.local/state`.
pub(super) fn default_directory() -> Option<PathBuf> {
    let set = |name| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("toolwright/checkpoints"))
}
