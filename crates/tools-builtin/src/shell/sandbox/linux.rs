//! Linux sandbox: Landlock for files and seccomp for system calls, applied to the thread that
//! starts a program.

mod access;
mod cleanup;
mod entries;
mod etc;
mod files;
mod kernel;
mod layout;
mod listed;
mod new_file;
mod new_repository;
mod protected;
mod removal;
mod report;
mod shared_rules;
mod snapshot;
mod state;
mod strict;
mod system_calls;
mod temporary;
mod thread;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;
use tool_core::ToolError;

use super::{ConfinedCall, Sandbox, SandboxUnavailable};
use crate::shell::process::Run;
use crate::shell::program::Program;
use cleanup::Cleanup;
use kernel::Kernel;
use new_file::NewFile;
use temporary::{PrivateDirectory, SharedDirectory};
use thread::RestrictedThread;

pub(super) use files::check_read_only_roots as check_workspace;
pub(super) use state::State;

/// Checks whether `sandbox` can be enforced, by applying it to a short-lived thread.
pub(super) fn check(sandbox: &Sandbox) -> Result<(), SandboxUnavailable> {
    let abi = Kernel::of_host().abi()?;
    let filter = Arc::new(system_calls::filter(sandbox)?);
    let files = files::of_sandbox(sandbox, abi)?;
    RestrictedThread::spawn(files, filter)?.run(|| ())
}

/// Calls `start` with `program` in the sandbox, and returns the enforced restrictions.
pub(super) fn start(
    confined: ConfinedCall<'_>,
    state: &State,
    program: Program,
    start: impl FnOnce(&Program) -> Result<Run, ToolError> + Send + 'static,
) -> Result<(Run, Value), ToolError> {
    let sandbox = confined.sandbox;
    let directory = state
        .directory()
        .map_err(SandboxUnavailable::into_tool_error)?;
    let (cleanup, thread) =
        prepare(confined, state, &directory).map_err(SandboxUnavailable::into_tool_error)?;
    let mut environment = cleanup.temporary.set_in(program.environment);
    if sandbox.readable.is_some() {
        environment = directory.set_caches_in(environment);
    }
    let program = Program {
        environment,
        // This path goes through our `/proc` entry, which sandboxed programs cannot access.
        proc_path: None,
        ..program
    };
    let started = thread.run(move || start(&program));
    state.prepare_next();
    let mut run = started.map_err(SandboxUnavailable::into_tool_error)??;
    run.after_exit(move || cleanup.clean_up());
    Ok((run, report::enforced(sandbox, state.kernel())))
}

fn prepare(
    confined: ConfinedCall<'_>,
    state: &State,
    directory: &Arc<SharedDirectory>,
) -> Result<(Cleanup, RestrictedThread), SandboxUnavailable> {
    let ConfinedCall {
        sandbox, workspace, ..
    } = confined;
    let abi = state.kernel().abi()?;
    // Before the rules, which name existing files only.
    let created = sandbox.granted.iter();
    let created = created.filter_map(|path| NewFile::create(path)).collect();
    let snapshot = (!sandbox.strict).then(|| state.snapshot(workspace));
    let snapshot = snapshot.transpose()?;
    // Rules of strict sandboxes depend on the current entries of the roots.
    let is_shared = !confined.has_grants && !sandbox.strict;
    let shared = is_shared.then(|| Arc::clone(directory));
    let (temporary, thread) = if let Some(shared) = &shared {
        state.next(sandbox, workspace, shared)?
    } else {
        // Other calls must not change the temporary files of a call with more permissions.
        let temporary = PrivateDirectory::make()?;
        let private = [temporary.path(), directory.path()].into_iter();
        let files = files::of_call(sandbox, workspace, private, abi)?;
        let thread = RestrictedThread::spawn(files, state.filter(sandbox)?)?;
        (temporary, thread)
    };
    let cleanup = Cleanup {
        temporary,
        shared,
        snapshot,
        granted: sandbox.granted.clone(),
        created,
    };
    Ok((cleanup, thread))
}
