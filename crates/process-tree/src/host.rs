//! State of this process that all trees share.

use std::sync::{Arc, OnceLock};

use crate::cgroup::{Home, Lease};
use crate::cookie::own_id;
use crate::mechanism::Mechanism;
use crate::watcher::Watcher;

static HOST: OnceLock<Host> = OnceLock::new();

/// Resources decided by the first tree, or by [`start`].
#[derive(Debug)]
pub(crate) struct Host {
    home: Option<Arc<Home>>,
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
        let home = (strongest >= Mechanism::Cgroup)
            .then(|| Home::create(own_id()))
            .flatten();
        let watcher = Watcher::start(home.as_ref().map(Home::directory));
        // The watcher is the first process that is moved. Without it nothing would remove the
        // cgroups.
        let accepts = |home: &Home| watcher.id().is_some_and(|id| home.accepts(id));
        let (accepted, rejected): (Vec<Home>, Vec<Home>) = home.into_iter().partition(accepts);
        rejected.iter().for_each(Home::remove);
        Self {
            home: accepted.into_iter().next().map(Arc::new),
            watcher,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn new(_strongest: Mechanism) -> Self {
        Self {
            home: Home::create(own_id()).map(Arc::new),
            watcher: Watcher::start(None),
        }
    }

    pub(crate) fn has_cgroups(&self) -> bool {
        self.home.is_some()
    }

    /// Returns an empty cgroup for one program, and restarts the watcher if it was killed.
    pub(crate) fn lease(&self) -> Option<Lease> {
        #[cfg(target_os = "linux")]
        let directory = self.home.as_ref().map(|home| home.directory());
        #[cfg(not(target_os = "linux"))]
        let directory = None;
        self.watcher.restart_if_ended(directory);
        let leased = self.home.as_ref()?.lease();
        if let Err(error) = &leased {
            tracing::warn!(%error, "no cgroup for a process tree");
        }
        leased.ok()
    }
}
