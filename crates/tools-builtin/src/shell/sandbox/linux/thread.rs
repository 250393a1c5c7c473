//! Threads that start programs. Their restrictions apply to the programs and, in the host, only to
//! these threads.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use landlock::{RulesetCreated, RulesetStatus};
use rustix::fs::stat;
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
use seccompiler::{BpfProgram, apply_filter};

use super::loopback;
use crate::shell::sandbox::{Network, SandboxUnavailable};

/// Capabilities kept for root: in containers, the files of a workspace often belong to another
/// user.
const KEPT: CapabilitySet = CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::DAC_READ_SEARCH);

/// Work of a thread; receives the result of applying the restrictions.
type Work = Box<dyn FnOnce(Result<(), SandboxUnavailable>) + Send>;

/// Restricted thread that waits for its work. It exits after the work, or when this handle is
/// dropped.
///
/// A thread never starts several programs, and a program is held until the thread is gone: a program can signal a thread that
/// shares its restrictions, which would kill the host, and use its entry in `/proc`, which is a way out of the sandbox.
pub(super) struct RestrictedThread {
    work: mpsc::Sender<Work>,
    thread: JoinHandle<()>,
}

impl RestrictedThread {
    /// Creates a thread with the rules for `files`, the filter for `system_calls` and a `network`.
    pub(super) fn spawn(
        files: RulesetCreated,
        system_calls: Arc<BpfProgram>,
        network: Network,
    ) -> Result<Self, SandboxUnavailable> {
        let (work, received) = mpsc::channel::<Work>();
        let thread = thread::Builder::new()
            .name("sandbox".into())
            .spawn(move || {
                let applied = restrict(files, &system_calls, network);
                if let Ok(work) = received.recv() {
                    work(applied);
                }
            })
            .map_err(SandboxUnavailable::refused)?;
        Ok(Self { work, thread })
    }

    /// Calls `work` on the thread if the restrictions apply, and waits for the thread to exit.
    pub(super) fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, SandboxUnavailable> {
        let failed = || SandboxUnavailable::refused("the thread panicked");
        let (sender, outcome) = mpsc::channel();
        let work: Work = Box::new(move |applied| {
            // The receiver waits for this thread.
            let _ = sender.send((own_entry(), applied.map(|()| work())));
        });
        self.work.send(work).map_err(|_| failed())?;
        self.thread.join().map_err(|_| failed())?;
        let (thread, outcome) = outcome.recv().map_err(|_| failed())?;
        wait_until_gone(thread.as_deref())?;
        outcome
    }
}

tool_core::debug_fields!(RestrictedThread);

/// Time for which a joined thread may remain.
const GONE_AFTER: Duration = Duration::from_secs(5);

/// Returns the path of the current thread in `/proc`. Its numbers may differ from those that the thread knows.
#[expect(clippy::disallowed_methods, reason = "a path of /proc")]
pub(super) fn own_entry() -> Option<PathBuf> {
    let entry = std::fs::read_link("/proc/thread-self").ok()?;
    Some(Path::new("/proc").join(entry))
}

/// Waits until a joined thread no longer exists. A program with the same restrictions could otherwise use it to read the
/// memory and the open files of the host.
pub(super) fn wait_until_gone(entry: Option<&Path>) -> Result<(), SandboxUnavailable> {
    // Without `/proc`, programs cannot use it either.
    let Some(entry) = entry else {
        return Ok(());
    };
    let start = Instant::now();
    while stat(entry).is_ok() {
        if start.elapsed() > GONE_AFTER {
            return Err(SandboxUnavailable::refused("the thread does not end"));
        }
        thread::yield_now();
    }
    Ok(())
}

/// Restricts the current thread and its child processes permanently.
fn restrict(
    files: RulesetCreated,
    system_calls: &BpfProgram,
    network: Network,
) -> Result<(), SandboxUnavailable> {
    // Before the capabilities are dropped, because it needs one.
    if network == Network::Private {
        loopback::enter().map_err(SandboxUnavailable::refused)?;
    }
    drop_capabilities().map_err(SandboxUnavailable::refused)?;
    // Sets `no_new_privs`, without which the kernel accepts a filter only from a privileged thread.
    let status = files.restrict_self().map_err(SandboxUnavailable::refused)?;
    // Fail closed: the metadata and the description of the tool say that the sandbox is enforced.
    if status.ruleset != RulesetStatus::FullyEnforced || !status.no_new_privs {
        return Err(SandboxUnavailable::refused("not all rules are enforced"));
    }
    apply_filter(system_calls).map_err(SandboxUnavailable::refused)
}

/// Drops capabilities. With `no_new_privs`, even root cannot regain them in a new program.
fn drop_capabilities() -> rustix::io::Result<()> {
    let now = capabilities(None)?;
    if now.permitted.is_empty() && now.inheritable.is_empty() {
        return Ok(());
    }
    let sets = CapabilitySets {
        effective: now.effective & KEPT,
        permitted: now.permitted & KEPT,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, sets)
}
