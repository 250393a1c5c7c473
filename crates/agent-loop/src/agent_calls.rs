//! Suspended runs of calls, passed between a run and the runs that are its tools.

use std::sync::{Arc, Mutex, PoisonError};

use tool_core::approval::Decision;

use crate::Suspended;

/// Key of the ID of a suspended run in the metadata of a result.
pub(crate) const RUN: &str = "agent_run";

/// Runs that calls of the calling run suspend or continue. An extension for tools that are runs.
#[derive(Debug, Default)]
pub(crate) struct AgentCalls {
    suspended: Mutex<Vec<Suspended>>,
    /// Run that the next call continues.
    resumed: Mutex<Option<(Suspended, Vec<Decision>)>>,
}

/// Extension with the [`AgentCalls`] of the calling run, if it suspends.
pub(crate) struct ParentCalls(pub(crate) Arc<AgentCalls>);

impl AgentCalls {
    /// Passes a suspended run to the calling run.
    pub(crate) fn suspend(&self, run: Suspended) {
        let mut suspended = self
            .suspended
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        suspended.push(run);
    }

    /// Returns the run that this call continues.
    pub(crate) fn take_resumed(&self) -> Option<(Suspended, Vec<Decision>)> {
        let mut resumed = self.resumed.lock().unwrap_or_else(PoisonError::into_inner);
        resumed.take()
    }

    /// Returns the runs that calls suspended since the last use.
    pub(crate) fn take_suspended(&self) -> Vec<Suspended> {
        let mut suspended = self
            .suspended
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut suspended)
    }

    /// Sets the run that the next call continues.
    pub(crate) fn set_resumed(&self, resumed: Option<(Suspended, Vec<Decision>)>) {
        *self.resumed.lock().unwrap_or_else(PoisonError::into_inner) = resumed;
    }
}
