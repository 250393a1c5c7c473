//! A sandbox around the programs of one workspace.

use std::fmt;
use std::sync::Arc;

use tokio::runtime::Handle;
use tool_core::{ToolContext, ToolError};

use super::{Sandbox, system};
use crate::shell::environment::Environment;
use crate::shell::process::Run;
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

    /// Has `start` start a program in the sandbox, with the environment that it is given. It blocks.
    ///
    /// # Errors
    /// `sandbox_unavailable`, before anything ran, or those of `start`.
    pub(crate) fn start(
        &self,
        environment: Environment,
        cx: &ToolContext,
        start: impl FnOnce(Environment) -> Result<Run, ToolError> + Send,
    ) -> Result<Run, ToolError> {
        let runtime = Handle::current();
        let (run, enforced) = system::start(self, environment, |environment| {
            let _runtime = runtime.enter();
            start(environment)
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
