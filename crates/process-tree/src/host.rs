//! State of this process that all trees share.

use std::sync::{Arc, OnceLock};

use crate::cgroup::{CgroupParent, Lease};
use crate::cookie::own_id;
use crate::mechanism::Mechanism;
use crate::watcher::Watcher;

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
