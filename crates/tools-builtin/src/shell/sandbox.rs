//! Sandboxing of programs by the operating system.

#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
mod linux;
mod policy;
mod toolchains;
mod unavailable;
#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
mod unsupported;

use std::borrow::Cow;
use std::sync::Arc;

use shell_verdict::Grant;
use tokio::runtime::Handle;
use tool_core::{ToolContext, ToolError};

use crate::shell::process::Run;
use crate::shell::program::Program;
use crate::shell::streams::Kept;
use crate::workspace::Workspace;
#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
use linux as system;
#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
use unsupported as system;

pub(crate) use policy::Network;
pub use policy::{Attributes, Sandbox};
pub use unavailable::SandboxUnavailable;

/// Sandbox for the programs of one workspace. Cloning is cheap; clones share the state of
/// overlapping calls.
#[derive(Clone)]
pub(crate) struct Confinement(Arc<Inner>);

/// Sandbox of one call.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "only Linux confines calls")
)]
struct ConfinedCall<'c> {
    sandbox: &'c Sandbox,
    workspace: &'c Workspace,
    /// Whether the call has more permissions than other calls.
    has_grants: bool,
    effects: Effects,
}

/// What a command may change, as far as the filter knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effects {
    /// Nothing, so there is nothing to restore: looking for it in all directories would take longer than most commands.
    None,
    /// Settings of Git among others. Harmless ones stay.
    GitSettings,
    /// Anything in the workspace.
    Any,
}

struct Inner {
    sandbox: Sandbox,
    workspace: Workspace,
    state: system::State,
}

impl Confinement {
    /// Confines programs to `workspace` according to `sandbox`.
    pub(crate) fn new(workspace: Workspace, sandbox: Sandbox) -> Self {
        Self::with_state(workspace, sandbox, system::State::default())
    }

    /// Checks whether this system can enforce the sandbox for the workspace.
    ///
    /// # Errors
    /// Returns [`SandboxUnavailable`] with the error that each call would return.
    pub(crate) fn check(&self) -> Result<(), SandboxUnavailable> {
        self.0.sandbox.check()?;
        system::check_workspace(&self.0.workspace)
    }

    /// Returns whether the sandbox allows network access without a grant.
    pub(crate) fn allows_network(&self) -> bool {
        self.0.sandbox.network == Network::Open
    }

    /// Returns what a call with `grants` can connect to.
    pub(crate) fn network(&self, grants: &[Grant]) -> Network {
        self.0.sandbox.clone().with_grants(grants).network
    }

    /// Limits reads to the workspace, system directories and toolchains.
    #[cfg(feature = "document-sets")]
    pub(crate) fn with_limited_reads(&self) -> Self {
        if self.0.sandbox.readable.is_some() {
            return self.clone();
        }
        let sandbox = self.0.sandbox.clone().with_limited_reads();
        Self::new(self.0.workspace.clone(), sandbox)
    }

    /// Starts `program` in the sandbox with `grants`, like [`Run::start`].
    ///
    /// # Errors
    /// Returns `sandbox_unavailable` before anything runs, or an error from [`Run::start`].
    pub(crate) fn start(
        &self,
        program: Program,
        grants: &[Grant],
        effects: Effects,
        kept: Kept,
        cx: &ToolContext,
    ) -> Result<Run, ToolError> {
        // The program starts on a thread outside the runtime, where its pipes couldn't be registered otherwise.
        let runtime = Handle::current();
        let mut sandbox = Cow::Borrowed(&self.0.sandbox);
        if !grants.is_empty() {
            sandbox = Cow::Owned(sandbox.into_owned().with_grants(grants));
        }
        // A server in the background is for later calls, which could not reach it. Commands that only read start none, and
        // take a third longer with a separate network.
        if sandbox.network == Network::Private
            && (program.in_background || effects == Effects::None)
        {
            sandbox = Cow::Owned(sandbox.into_owned().without_loopback());
        }
        let confined = ConfinedCall {
            sandbox: &sandbox,
            workspace: &self.0.workspace,
            has_grants: !grants.is_empty(),
            effects,
        };
        let context = cx.clone();
        let (run, enforced) = system::start(confined, &self.0.state, program, move |program| {
            let _runtime = runtime.enter();
            Run::start(program, kept, &context)
        })?;
        cx.note("sandbox", enforced);
        Ok(run)
    }

    fn with_state(workspace: Workspace, mut sandbox: Sandbox, state: system::State) -> Self {
        if state.has_loopback() {
            sandbox = sandbox.with_loopback();
        }
        Self(Arc::new(Inner {
            sandbox,
            workspace,
            state,
        }))
    }
}

impl Sandbox {
    /// Checks whether this system can enforce the sandbox.
    ///
    /// # Errors
    /// Returns [`SandboxUnavailable`] with the error that each call would return.
    pub fn check(&self) -> Result<(), SandboxUnavailable> {
        system::check(self)
    }
}

tool_core::debug_fields!(Confinement, this => sandbox: this.0.sandbox);
