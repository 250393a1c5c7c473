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
mod run_command;
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
pub use bash::{Bash, BashInput};
#[cfg(feature = "document-sets")]
pub(crate) use command_output::AFTER_FAILURE;
pub use command_output::CommandOutput;
pub use environment::Environment;
pub use guard::workspace_filter;
#[cfg(feature = "document-sets")]
pub(crate) use run_command::{CLOSE_THE_QUOTE, MAX_SECONDS};
pub use run_command::{CommandArguments, RunCommand, RunCommandInput};
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
    /// Runs programs.
    pub run_command: Arc<RunCommand>,
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
        let bash = Bash::new(workspace.clone())
            .with_history(history.clone())
            .with_background(commands.clone());
        let mut tools = Self {
            run_command: Arc::new(RunCommand::new(workspace.clone()).with_history(history.clone())),
            bash: Arc::new(bash),
            background: Arc::new(Background::new(commands.clone())),
            #[cfg(any(test, feature = "document-sets"))]
            history,
            commands: commands.clone(),
        };
        // All tools have the same owner, so that dropping them waits only once.
        for launcher in tools.launchers() {
            launcher.exit_barrier = commands.exit_barrier().clone();
        }
        tools
    }

    /// Runs all programs in the default sandbox if this system can enforce it.
    pub(crate) fn confine_if_enforceable(&mut self, workspace: &Workspace) {
        let confinement = Confinement::new(workspace.clone(), Sandbox::workspace());
        match confinement.check() {
            Ok(()) => self.confine_by(&confinement),
            Err(error) => {
                tracing::warn!(%error, "commands run without a sandbox, because it is unavailable");
            }
        }
    }

    /// Sets the environment of all programs.
    pub(crate) fn set_environment(&mut self, environment: Environment) {
        let [run_command, bash] = self.launchers();
        run_command.set_environment(environment.clone());
        bash.set_environment(environment);
    }

    /// Sets the store for long outputs of all programs.
    pub(crate) fn set_output_store(&mut self, store: &Arc<dyn OutputStore>) {
        for launcher in self.launchers() {
            launcher.output.store = Some(Arc::clone(store));
        }
    }

    /// Runs all programs without a sandbox.
    pub(crate) fn unconfine(&mut self) {
        for launcher in self.launchers() {
            launcher.confinement = None;
        }
    }

    /// Runs all programs in `sandbox`.
    pub(crate) fn confine(&mut self, workspace: &Workspace, sandbox: Sandbox) {
        self.confine_by(&Confinement::new(workspace.clone(), sandbox));
    }

    fn confine_by(&mut self, confinement: &Confinement) {
        for launcher in self.launchers() {
            launcher.confinement = Some(confinement.clone());
        }
    }

    /// Returns the launchers of all tools that run programs.
    fn launchers(&mut self) -> [&mut Launcher; 2] {
        let run_command = Arc::make_mut(&mut self.run_command);
        let bash = Arc::make_mut(&mut self.bash);
        [&mut run_command.launcher, &mut bash.launcher]
    }
}

/// Returns the tool that runs programs, which no set but one of a document has.
#[cfg(test)]
pub(crate) fn run_command_tool(kit: &crate::Kit) -> impl tool_core::Tool + use<> {
    let run_command = Arc::clone(&kit.shell.run_command);
    tool_core::Typed::shared("run_command", "Runs a program.", run_command)
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
        for tool in ["bash", "run_command"] {
            let marker = marker();
            let script = format!("trap '' TERM; setsid sleep {marker} & sleep {marker}");
            let arguments = match tool {
                "bash" => json!({"command": script}),
                _ => json!({"command": "bash", "arguments": ["-c", script]}),
            };
            let scratch = Scratch::new();
            let kit = Kit::new(Workspace::open(scratch.path()).unwrap()).unconfined();
            let registry = Registry::builder()
                .policy(Policy::allow_all())
                .approver(approver_fn(|_| Answer::Approve))
                .toolset(&toolsets::standard(&kit).unwrap())
                .unwrap()
                .tool(crate::shell::run_command_tool(&kit))
                .unwrap()
                .build();
            drop(kit);
            let runtime = Runtime::new().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    result = registry.execute(tool, arguments) => panic!("{result}"),
                    started = wait_for(|| descendants(&marker).len() > 1) => assert!(started),
                }
            });

            runtime.shutdown_background();
            drop(registry);

            assert_eq!(descendants(&marker), Vec::<String>::new(), "{tool}");
        }
    }
}
