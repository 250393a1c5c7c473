//! Suspended runs of calls, passed between a run and the runs that are its tools.

use std::sync::Mutex;

use tool_core::approval::Decision;

use crate::Suspended;
use crate::locked::locked;

/// Key of the ID of a suspended run in the metadata of a result.
pub(crate) const RUN: &str = "agent_run";

/// Runs that calls of the calling run suspend or continue. An extension for tools that are runs, if
/// the calling run suspends.
#[derive(Debug, Default)]
pub(crate) struct AgentCalls {
    pub(crate) suspended: Mutex<Vec<Suspended>>,
    /// Run that the next call continues.
    pub(crate) resumed: Mutex<Option<(Suspended, Vec<Decision>)>>,
}

impl AgentCalls {
    /// Passes a suspended run to the calling run.
    pub(crate) fn suspend(&self, run: Suspended) {
        locked(&self.suspended).push(run);
    }

    /// Returns the run that this call continues.
    pub(crate) fn take_resumed(&self) -> Option<(Suspended, Vec<Decision>)> {
        locked(&self.resumed).take()
    }
}
