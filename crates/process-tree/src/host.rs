//! What all trees of this process share: the mechanism, and what it needs.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::cgroup::{CgroupParent, Lease};
use super::marks::own_id;
use super::watcher::Watcher;

/// Mechanism by which the processes of a tree are found and terminated, from weak to strong.
///
/// # Examples
/// ```
/// use process_tree::Mechanism;
///
/// assert!(Mechanism::Cookie < Mechanism::Cgroup);
/// assert_eq!(Mechanism::Cgroup.as_str(), "cgroup");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Mechanism {
    /// Only the program itself. Used on Windows.
    Program,
    /// The process group of the program. Used on Unix systems other than Linux.
    ProcessGroup,
    /// The process group, parents, an environment variable and inherited output pipes. Always
    /// available on Linux.
    Cookie,
    /// Like [`Cookie`](Self::Cookie); in addition, orphaned processes become children of this
    /// process. Enabled by [`ProcessTrees::adopt_orphans`](crate::ProcessTrees::adopt_orphans).
    Subreaper,
    /// Like [`Cookie`](Self::Cookie); in addition, each program runs in its own control group.
    /// Requires cgroup v2 with `cgroup.kill` (Linux 5.14) and write access to the cgroup of this
    /// process.
    Cgroup,
}

impl Mechanism {
    /// Returns the name for logs and metadata, such as `cgroup`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::ProcessGroup => "process_group",
            Self::Cookie => "cookie",
            Self::Subreaper => "subreaper",
            Self::Cgroup => "cgroup",
        }
    }
}

/// Shell script that runs after the end of this process; see [`ProcessTrees::at_host_end`].
///
/// Dropping it takes that back, but an end of the process doesn't drop it.
///
/// [`ProcessTrees::at_host_end`]: crate::ProcessTrees::at_host_end
#[derive(Debug)]
pub struct HostEndScript(PathBuf);

impl HostEndScript {
    pub(crate) fn add(path: PathBuf) -> io::Result<Self> {
        start(Mechanism::Cgroup).watcher.add(&path)?;
        Ok(Self(path))
    }
}

impl Drop for HostEndScript {
    fn drop(&mut self) {
        start(Mechanism::Cgroup).watcher.forget(&self.0);
    }
}

static HOST: OnceLock<Host> = OnceLock::new();

/// Resources decided by the first tree, or by [`start`].
#[derive(Debug)]
pub(crate) struct Host {
    parent: Option<Arc<CgroupParent>>,
    watcher: Watcher,
}

/// Returns the resources. The first call creates them with at most `strongest`.
pub(crate) fn start(strongest: Mechanism) -> &'static Host {
    HOST.get_or_init(|| Host::new(strongest))
}

/// Returns the process id of the watcher.
#[cfg(target_os = "linux")]
pub(crate) fn watcher() -> Option<u32> {
    HOST.get()?.watcher.id()
}

impl Host {
    #[cfg(target_os = "linux")]
    fn new(strongest: Mechanism) -> Self {
        let parent = (strongest >= Mechanism::Cgroup)
            .then(|| CgroupParent::create(own_id()))
            .flatten();
        let watcher = Watcher::start(parent.as_ref().map(CgroupParent::directory));
        // The watcher is the first process that is moved. Without it nothing would remove the
        // cgroups.
        let parent = parent.filter(|parent| {
            let is_accepted = watcher.id().is_some_and(|id| parent.accepts(id));
            if !is_accepted {
                parent.remove();
            }
            is_accepted
        });
        Self {
            parent: parent.map(Arc::new),
            watcher,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn new(_strongest: Mechanism) -> Self {
        Self {
            parent: CgroupParent::create(own_id()).map(Arc::new),
            watcher: Watcher::start(None),
        }
    }

    pub(crate) fn has_cgroups(&self) -> bool {
        self.parent.is_some()
    }

    /// Returns an empty cgroup for one program, and restarts the watcher if it was killed.
    pub(crate) fn lease(&self) -> Option<Lease> {
        #[cfg(target_os = "linux")]
        let directory = self.parent.as_ref().map(|parent| parent.directory());
        #[cfg(not(target_os = "linux"))]
        let directory = None;
        self.watcher.restart_if_ended(directory);
        let leased = self.parent.as_ref()?.lease();
        if let Err(error) = &leased {
            tracing::warn!(%error, "no cgroup for a process tree");
        }
        leased.ok()
    }
}
