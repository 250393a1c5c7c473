//! Control groups (cgroup v2) for the programs of this process.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of empty cgroups kept for further programs.
const MAX_SPARE: usize = 8;

/// Maximum bytes read of a file of a cgroup or of the mount table.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Maximum depth of cgroups that a program created and that are removed.
const MAX_DEPTH: u32 = 8;

/// Parent of the cgroups of all programs, itself below the cgroup of this process.
#[derive(Debug)]
pub(crate) struct CgroupParent {
    directory: PathBuf,
    spare: Mutex<Vec<Cgroup>>,
    created: AtomicU64,
}

/// Files of one cgroup. They stay open, so that a thread in a sandbox can use them.
#[derive(Debug)]
struct Cgroup {
    directory: PathBuf,
    processes: File,
    kill: File,
    events: File,
}

impl CgroupParent {
    /// Creates a cgroup named after `id`. Returns `None` if the system or its permissions do not
    /// allow it.
    pub(crate) fn create(id: &str) -> Option<Self> {
        let directory = own_directory()?.join(format!("process-tree-{id}"));
        DirBuilder::new().create(&directory).ok()?;
        let parent = Self {
            directory,
            spare: Mutex::default(),
            created: AtomicU64::new(0),
        };
        // Creating the parent may succeed where `cgroup.kill` is missing (before Linux 5.14), so try one.
        let first = parent.create_cgroup();
        if first.is_err() {
            parent.remove();
        }
        parent.spare().push(first.ok()?);
        Some(parent)
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Moves the process to a separate cgroup, which shows that processes can be moved.
    pub(crate) fn accepts(&self, process: u32) -> bool {
        let directory = self.directory.join("watcher");
        let moved = DirBuilder::new()
            .create(&directory)
            .and_then(|()| fs::write(directory.join("cgroup.procs"), process.to_string()));
        if moved.is_err() {
            let _ = fs::remove_dir(directory);
        }
        moved.is_ok()
    }

    /// Removes the cgroups, which are empty.
    pub(crate) fn remove(&self) {
        self.spare().clear();
        remove(&self.directory, MAX_DEPTH);
    }

    /// Returns an empty cgroup, or an error if none can be created anymore.
    pub(crate) fn lease(self: &Arc<Self>) -> io::Result<Lease> {
        let spare = self.spare().pop();
        Ok(Lease {
            cgroup: Some(spare.map_or_else(|| self.create_cgroup(), Ok)?),
            parent: Arc::clone(self),
        })
    }

    fn create_cgroup(&self) -> io::Result<Cgroup> {
        let number = self.created.fetch_add(1, Ordering::Relaxed);
        let directory = self.directory.join(number.to_string());
        DirBuilder::new().create(&directory)?;
        let write = |name: &str| OpenOptions::new().write(true).open(directory.join(name));
        Ok(Cgroup {
            processes: write("cgroup.procs")?,
            kill: write("cgroup.kill")?,
            events: File::open(directory.join("cgroup.events"))?,
            directory,
        })
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Cgroup>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cgroup of one program. Returned to its home on drop if it is empty.
#[derive(Debug)]
pub(crate) struct Lease {
    /// `None` only during drop.
    cgroup: Option<Cgroup>,
    parent: Arc<CgroupParent>,
}

impl Lease {
    /// Moves a process to this cgroup.
    pub(crate) fn add(&self, process: u32) -> io::Result<()> {
        let cgroup = self.cgroup.as_ref().ok_or(io::ErrorKind::NotFound)?;
        // A single write without a position, as the file of a cgroup requires.
        rustix::io::write(&cgroup.processes, process.to_string().as_bytes())?;
        Ok(())
    }

    /// Returns `true` if a process is running. If the state is unknown, the cgroup is gone, which
    /// requires that it is empty.
    pub(crate) fn is_populated(&self) -> bool {
        let mut text = [0; 64];
        let cgroup = self.cgroup.as_ref();
        let read = cgroup.and_then(|own| rustix::io::pread(&own.events, &mut text, 0).ok());
        let known = read.and_then(|count| text.get(..count)).unwrap_or_default();
        known.starts_with(b"populated 1")
    }

    /// Returns the processes, without those in nested cgroups.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let path = self.cgroup.as_ref().map(|cgroup| &cgroup.directory);
        let text = path.and_then(|path| read(&path.join("cgroup.procs")).ok());
        let lines = text.iter().flat_map(|text| text.lines());
        lines.filter_map(|line| line.parse().ok()).collect()
    }

    /// Kills all processes, including those in nested cgroups.
    pub(crate) fn kill(&self) {
        if let Some(cgroup) = &self.cgroup {
            // An error means that the cgroup is gone.
            let _ = rustix::io::write(&cgroup.kill, b"1");
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let is_populated = self.is_populated();
        let Some(cgroup) = self.cgroup.take() else {
            return;
        };
        // A program that ran in it may have created cgroups, which would have to be removed.
        let mut spare = self.parent.spare();
        if !is_populated && spare.len() < MAX_SPARE {
            spare.push(cgroup);
        } else {
            drop(spare);
            remove(&cgroup.directory, MAX_DEPTH);
        }
    }
}

/// Removes a cgroup and the cgroups in it. Those with processes remain.
fn remove(directory: &Path, depth: u32) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let nested = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for entry in nested.take_while(|_| depth > 0) {
        remove(&entry.path(), depth - 1);
    }
    let _ = fs::remove_dir(directory);
}

/// Returns the directory of the cgroup of this process.
fn own_directory() -> Option<PathBuf> {
    directory_of(
        &read(Path::new("/proc/self/cgroup")).ok()?,
        &read(Path::new("/proc/self/mountinfo")).ok()?,
    )
}

/// Returns the directory for the contents of `/proc/self/cgroup` and `/proc/self/mountinfo`.
fn directory_of(cgroups: &str, mounts: &str) -> Option<PathBuf> {
    let cgroup = cgroups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?;
    let mut fields = mount.split(' ').skip(3);
    let (root, place) = (fields.next()?, fields.next()?);
    let below = Path::new(cgroup).strip_prefix(root).ok()?;
    // A cgroup outside the namespace of this process starts with `..`.
    (!cgroup.contains("..")).then(|| Path::new(place).join(below))
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let file = File::open(path)?;
    file.take(MAX_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_directory_of_own_cgroup() {
        let hybrid = "35 25 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let container = "35 25 0:30 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        for (cgroups, mounts, expected) in [
            ("1:cpu:/a\n0::/\n", hybrid, Some("/sys/fs/cgroup/unified/")),
            (
                "0::/a.slice\n",
                hybrid,
                Some("/sys/fs/cgroup/unified/a.slice"),
            ),
            ("0::/docker/1\n", container, Some("/sys/fs/cgroup/")),
            ("0::/other\n", container, None),
            ("0::/../x\n", hybrid, None),
            ("1:cpu:/a\n", hybrid, None),
            ("0::/\n", "35 25 0:30 / /tmp rw - tmpfs tmpfs rw\n", None),
        ] {
            let found = directory_of(cgroups, mounts);

            assert_eq!(
                found.as_deref(),
                expected.map(Path::new),
                "{cgroups} {mounts}"
            );
        }
    }
}
