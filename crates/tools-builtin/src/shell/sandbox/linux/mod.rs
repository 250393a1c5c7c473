//! The sandbox of Linux: Landlock for files, seccomp for system calls, both bound to the thread that starts a program.

mod files;
mod kernel;
mod leftovers;
mod protected;
mod removal;
mod report;
mod snapshot;
mod state;
mod strict;
mod system_calls;
mod temporary;
mod thread;

#[cfg(test)]
mod tests;

use serde_json::Value;
use tool_core::ToolError;

use super::{Confinement, Sandbox, SandboxUnavailable};
use crate::shell::process::Run;
use crate::shell::program::Program;
use kernel::Kernel;
use leftovers::Leftovers;
use thread::Restrictions;

pub(super) use state::State;

/// Whether `sandbox` can be enforced here; tried on a thread that ends with its restrictions.
pub(super) fn check(sandbox: &Sandbox) -> Result<(), SandboxUnavailable> {
    let abi = Kernel::of_host().abi()?;
    let filter = system_calls::filter(sandbox)?;
    let files = files::of_sandbox(sandbox, abi)?;
    thread::restricted(Restrictions::new(files, &filter), || ())
}

/// Has `start` start `program` in the sandbox, and says what is enforced.
pub(super) fn start(
    confinement: &Confinement,
    program: Program,
    start: impl FnOnce(&Program) -> Result<Run, ToolError> + Send,
) -> Result<(Run, Value), ToolError> {
    let (leftovers, restrictions) =
        prepare(confinement).map_err(SandboxUnavailable::into_tool_error)?;
    let program = Program {
        environment: leftovers.temporary().told_in(program.environment),
        // It leads through this process, which what is in the sandbox may not look into.
        short_cut: None,
        ..program
    };
    let mut run = thread::restricted(restrictions, || start(&program))
        .map_err(SandboxUnavailable::into_tool_error)??;
    run.afterwards(move || leftovers.tidy());
    let enforced = report::enforced(confinement.sandbox(), confinement.state().kernel());
    Ok((run, enforced))
}

fn prepare(confinement: &Confinement) -> Result<(Leftovers, Restrictions<'_>), SandboxUnavailable> {
    let abi = confinement.state().kernel().abi()?;
    let filter = confinement.state().filter(confinement.sandbox())?;
    let leftovers = Leftovers::prepare(confinement)?;
    let files = files::of_call(confinement, leftovers.temporary().path(), abi)?;
    Ok((leftovers, Restrictions::new(files, filter)))
}
