//! Linux sandbox: Landlock for files and seccomp for system calls, applied to the thread that
//! starts a program.

mod content;
mod entries;
mod files;
mod loopback;
mod nested;
mod new_file;
mod new_repository;
mod record;
mod repositories;
mod restoration;
mod script;
mod snapshot;
mod state;
mod system_calls;
mod temporary;
mod thread;
mod todo;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use landlock::ABI;
use serde_json::{Value, json};
use tool_core::{ErrorCode, ToolError};

use super::{Attributes, ConfinedCall, Effects, Network, Sandbox, SandboxUnavailable};
use crate::shell::process::{Run, RunNotice};
use crate::shell::program::Program;
use new_file::NewFile;
use restoration::Restoration;
use snapshot::{Allowed, Snapshot};
use state::{Baseline, Kernel};
use temporary::{PrivateDirectory, SharedDirectory};
use thread::RestrictedThread;

pub(super) use files::check_read_only_roots as check_workspace;
pub(super) use state::State;

/// Checks whether `sandbox` can be enforced, by applying it to a short-lived thread.
pub(super) fn check(sandbox: &Sandbox) -> Result<(), SandboxUnavailable> {
    let abi = Kernel::of_host().abi()?;
    let filter = Arc::new(system_calls::filter(sandbox)?);
    let files = files::of_sandbox(sandbox, abi)?;
    RestrictedThread::spawn(files, filter, sandbox.network)?.run(|| ())
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
        // Until the thread that starts it is gone, because both have the same restrictions.
        is_held: true,
        ..program
    };
    let in_background = program.in_background;
    let started = thread.run(move || start(&program));
    state.prepare_next(sandbox);
    let mut run = started.map_err(SandboxUnavailable::into_tool_error)??;
    run.release(in_background);
    run.after_exit(move || cleanup.clean_up());
    Ok((run, enforced(sandbox, state.kernel())))
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
    let is_restored = !sandbox.strict && confined.effects != Effects::None;
    let snapshot = is_restored.then(|| state.snapshot(workspace));
    let snapshot = snapshot.transpose()?;
    let mut beside_tokens = false;
    for root in workspace.roots() {
        beside_tokens |= sandbox.splits(root)?;
    }
    // Rules of strict sandboxes, and those next to tokens, depend on the current entries of the roots.
    let is_shared = !confined.has_grants && !sandbox.strict && !beside_tokens;
    let shared = is_shared.then(|| Arc::clone(directory));
    let (temporary, thread) = if let Some(shared) = &shared {
        state.next(sandbox, workspace, shared)?
    } else {
        // Other calls must not change the temporary files of a call with more permissions.
        let temporary = PrivateDirectory::make()?;
        let private = [temporary.path(), directory.path()].into_iter();
        let files = files::of_call(sandbox, workspace, private, abi)?;
        let filter = Arc::new(system_calls::filter(sandbox)?);
        let thread = RestrictedThread::spawn(files, filter, sandbox.network)?;
        (temporary, thread)
    };
    let cleanup = Cleanup {
        temporary,
        shared,
        snapshot,
        baseline: state.baseline(),
        allowed: Allowed {
            granted: sandbox.granted.clone(),
            git_settings: confined.effects == Effects::GitSettings,
        },
        created,
        beside_tokens,
    };
    Ok((cleanup, thread))
}

/// State to clean up after all processes of a call have exited.
#[derive(Debug)]
struct Cleanup {
    temporary: PrivateDirectory,
    /// Parent of the temporary directory, which can use it for another call.
    shared: Option<Arc<SharedDirectory>>,
    snapshot: Option<Arc<Snapshot>>,
    baseline: Baseline,
    allowed: Allowed,
    /// Files created for the call, which are removed when dropped if it has not used them.
    created: Vec<NewFile>,
    /// Whether the workspace contains sign-in tokens.
    beside_tokens: bool,
}

impl Cleanup {
    /// Restores the protected names, removes the private directory and unused files, and returns messages
    /// for the result.
    fn clean_up(self) -> Vec<RunNotice> {
        drop(self.created);
        match self.shared {
            Some(shared) => shared.take_back(self.temporary),
            None => drop(self.temporary),
        }
        let warning = BESIDE_TOKENS.to_owned();
        let warning = self.beside_tokens.then(|| RunNotice::Warning(warning));
        let mut all: Vec<RunNotice> = warning.into_iter().collect();
        if let Some(snapshot) = self.snapshot {
            let restored = snapshot.restore(&self.allowed);
            if !restored.failed.is_empty() {
                self.baseline.lose(snapshot, self.allowed);
            }
            all.extend(notices(restored));
        }
        all
    }
}

/// The kernel can't exclude one directory, so commands lose more than the tokens.
const BESIDE_TOKENS: &str = "The workspace contains sign-in tokens, so commands can't create or remove entries next to them. Tell the \
                             user to move `.gmail-tokens` and `.calendar-tokens` out of the workspace.";

/// Describes the changed names for the model and the metadata.
fn notices(restored: Restoration) -> Vec<RunNotice> {
    if !restored.changed.is_empty() {
        // A background command has no open call that could report this.
        tracing::warn!(names = ?restored.changed, "a command changed protected names; they were restored");
    }
    let mut notices = Vec::new();
    for (names, sentence, key) in [
        (
            restored.changed,
            "The command changed protected files, which were restored",
            "protected_restored",
        ),
        (
            restored.removed,
            "The command created a repository whose hooks or settings can run programs, which were removed",
            "protected_removed",
        ),
    ] {
        if !names.is_empty() {
            let sentence = format!("{sentence}: {}.", quoted(&names));
            notices.push(RunNotice::Warning(sentence));
            notices.push(RunNotice::Note(key, names.into()));
        }
    }
    if let Some(reason) = restored.unsearched {
        notices.push(RunNotice::Warning(format!(
            "Not all repositories below the workspace were checked for new settings and hooks, because {reason}."
        )));
    }
    if !restored.failed.is_empty() {
        notices.push(lost(&restored.failed));
    }
    notices
}

/// Fails the call: a person must know that the next `git` may run what the command has written.
fn lost(names: &[String]) -> RunNotice {
    tracing::error!(?names, "protected names could not be restored");
    let sentence = format!(
        "The command changed protected files, which could not be restored: {}",
        quoted(names)
    );
    let error = ToolError::new(ErrorCode::Protected, sentence)
        .suggest("Tell the user to check these files before using Git. No other command runs until they can be restored.");
    RunNotice::Failure(error)
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// Returns the restrictions for programs in `sandbox` on `kernel`.
fn enforced(sandbox: &Sandbox, kernel: Kernel) -> Value {
    let abi = kernel.abi().unwrap_or(ABI::Unsupported);
    let refused = |refused: bool| if refused { "refused" } else { "open" };
    json!({
        "enforced": true,
        "landlock_abi": abi as i32,
        "reads": if sandbox.readable.is_some() { "listed" } else { "everything" },
        "writes": if sandbox.granted.is_empty() { "workspace" } else { "workspace_and_granted" },
        "private_tmp": true,
        "network": match sandbox.network {
            Network::Refused => "refused",
            Network::Private => "private",
            Network::Open => "open",
        },
        "local_services": refused(!sandbox.local_services),
        "signals": refused(abi >= ABI::V6),
        "devices": refused(abi >= ABI::V5),
        "attributes": match sandbox.attributes {
            Attributes::Guarded => "guarded",
            Attributes::Frozen => "frozen",
            Attributes::Free => "free",
        },
        "protected": if sandbox.strict { "enforced" } else { "restored" },
        "new_privileges": "refused",
    })
}
