//! Running programs with limits on time and output. All child processes are killed when a call
//! finishes.

mod advice;
mod background;
mod bash;
mod capture;
mod command_output;
mod environment;
mod grants;
mod guard;
mod launcher;
mod printed;
mod process;
mod program;
#[cfg(target_os = "linux")]
mod recovery;
mod sandbox;
mod streams;
mod terminal;

use std::sync::Arc;

use tool_core::output_store::OutputStore;

use crate::workspace::Workspace;
use launcher::Launcher;
use sandbox::Confinement;

pub(crate) use background::Background;
pub use background::{BackgroundCommand, BackgroundCommands, BackgroundStatus};
#[cfg(feature = "document-sets")]
pub(crate) use bash::{Argv, MAX_SECONDS};
pub use bash::{Bash, BashInput};
#[cfg(feature = "document-sets")]
pub(crate) use command_output::AFTER_FAILURE;
pub use command_output::CommandOutput;
pub use environment::Environment;
pub use guard::workspace_filter;
pub use sandbox::{Attributes, Sandbox, SandboxUnavailable};
#[cfg(feature = "document-sets")]
pub(crate) use terminal::ExecutedCommand;
pub(crate) use terminal::TerminalHistory;

/// Shell tools of one workspace. They share a history and the background commands.
///
/// Dropping the last tool, kit or registry waits at most 2 seconds for the end of the programs
/// whose calls were dropped.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ShellTools {
    /// Runs command lines in bash.
    pub bash: Arc<Bash>,
    /// Lists, reads and stops background commands.
    pub(crate) background: Arc<Background>,
    /// The last command.
    #[cfg(any(test, feature = "document-sets"))]
    pub(crate) history: TerminalHistory,
    pub(crate) commands: BackgroundCommands,
}

impl ShellTools {
    /// Creates the tools of `workspace`, with an empty history.
    pub(crate) fn new(workspace: &Workspace) -> Self {
        let history = TerminalHistory::default();
        let commands = BackgroundCommands::default();
        let mut bash = Bash::new(workspace.clone())
            .with_history(history.clone())
            .with_background(commands.clone());
        // Both tools have the same owner, so that dropping them waits only once.
        bash.launcher.exit_barrier = commands.exit_barrier().clone();
        Self {
            bash: Arc::new(bash),
            background: Arc::new(Background::new(commands.clone())),
            #[cfg(any(test, feature = "document-sets"))]
            history,
            commands,
        }
    }

    /// Runs all programs in the default sandbox if this system can enforce it.
    pub(crate) fn confine_if_enforceable(&mut self, workspace: &Workspace) {
        let confinement = Confinement::new(workspace.clone(), Sandbox::workspace());
        match confinement.check() {
            Ok(()) => self.launcher().confinement = Some(confinement),
            Err(error) => {
                tracing::warn!(%error, "commands run without a sandbox, because it is unavailable");
            }
        }
    }

    /// Sets the environment of all programs.
    pub(crate) fn set_environment(&mut self, environment: Environment) {
        self.launcher().set_environment(environment);
    }

    /// Sets the store for long outputs of all programs.
    pub(crate) fn set_output_store(&mut self, store: &Arc<dyn OutputStore>) {
        self.launcher().output.store = Some(Arc::clone(store));
    }

    /// Runs all programs without a sandbox.
    pub(crate) fn unconfine(&mut self) {
        self.launcher().confinement = None;
    }

    /// Runs all programs in `sandbox`.
    pub(crate) fn confine(&mut self, workspace: &Workspace, sandbox: Sandbox) {
        self.launcher().confinement = Some(Confinement::new(workspace.clone(), sandbox));
    }

    fn launcher(&mut self) -> &mut Launcher {
        &mut Arc::make_mut(&mut self.bash).launcher
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use serde_json::json;
    use tokio::runtime::Runtime;
    use tool_core::Registry;
    use tool_core::approval::{Answer, Policy, approver_fn};
    use tool_test::Scratch;

    use super::process::tests::{descendants, marker, wait_for};
    use crate::{Kit, Workspace, toolsets};

    #[test]
    fn dropping_registry_waits_for_dropped_call() {
        let marker = marker();
        let script = format!("trap '' TERM; setsid sleep {marker} & sleep {marker}");
        let scratch = Scratch::new();
        let kit = Kit::new(Workspace::open(scratch.path()).unwrap()).unconfined();
        let registry = Registry::builder()
            .policy(Policy::allow_all())
            .approver(approver_fn(|_| Answer::Approve))
            .toolset(&toolsets::standard(&kit).unwrap())
            .unwrap()
            .build();
        drop(kit);
        let runtime = Runtime::new().unwrap();
        runtime.block_on(async {
            tokio::select! {
                result = registry.execute("bash", json!({"command": script})) => panic!("{result}"),
                started = wait_for(|| descendants(&marker).len() > 1) => assert!(started),
            }
        });

        runtime.shutdown_background();
        drop(registry);

        assert_eq!(descendants(&marker), Vec::<String>::new());
    }
}
