//! A sandbox around the programs of one workspace.

use std::fmt;
use std::sync::Arc;

use tokio::runtime::Handle;
use tool_core::{ToolContext, ToolError};

use super::{Sandbox, system};
use crate::shell::process::Run;
use crate::shell::program::Program;
use crate::workspace::Workspace;

/// A sandbox around the programs of one workspace. Cloning is cheap; clones share what calls that overlap must share.
#[derive(Clone)]
pub(crate) struct Confinement(Arc<Inner>);

struct Inner {
    sandbox: Sandbox,
    workspace: Workspace,
    state: system::State,
}

impl Confinement {
    /// Confines programs to `workspace` as `sandbox` says.
    pub(crate) fn new(workspace: Workspace, sandbox: Sandbox) -> Self {
        Self::with_state(workspace, sandbox, system::State::default())
    }

    /// Starts `program` in the sandbox, as [`Run::start`] does.
    ///
    /// # Errors
    /// `sandbox_unavailable`, before anything ran, or those of the program.
    pub(crate) fn start(
        &self,
        program: Program,
        capture_bytes: usize,
        cx: &ToolContext,
    ) -> Result<Run, ToolError> {
        let runtime = Handle::current();
        let (run, enforced) = system::start(self, program, |program| {
            let _runtime = runtime.enter();
            Run::start(program, capture_bytes, cx)
        })?;
        cx.note("sandbox", enforced);
        Ok(run)
    }

    pub(super) fn with_state(workspace: Workspace, sandbox: Sandbox, state: system::State) -> Self {
        Self(Arc::new(Inner {
            sandbox,
            workspace,
            state,
        }))
    }

    pub(super) fn sandbox(&self) -> &Sandbox {
        &self.0.sandbox
    }

    pub(super) fn workspace(&self) -> &Workspace {
        &self.0.workspace
    }

    pub(super) fn state(&self) -> &system::State {
        &self.0.state
    }
}

impl fmt::Debug for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Confinement").field(&self.0.sandbox).finish()
    }
}
