//! Running programs with limits on time and output. All child processes are killed when a call
//! finishes.

mod background;
mod bash;
mod capture;
mod command_output;
mod denial;
mod environment;
mod exit_barrier;
mod grants;
mod guard;
mod launcher;
mod live;
mod missing_variable;
mod notice;
mod output_budget;
mod process;
mod program;
mod run_command;
mod sandbox;
mod settings;
mod start_error;
mod streams;
mod terminal;
mod tools;
mod workspace_filter;

pub use background::{
    BackgroundCommand, BackgroundCommands, BackgroundList, BackgroundOutput, BackgroundOutputInput,
    BackgroundStatus, ListBackground, ListBackgroundInput, ReadBackground, StopBackground,
    StopBackgroundInput,
};
pub use bash::{Bash, BashInput};
#[cfg(feature = "document-sets")]
pub(crate) use command_output::AFTER_FAILURE;
pub use command_output::CommandOutput;
pub use environment::Environment;
#[cfg(feature = "document-sets")]
pub(crate) use run_command::{CLOSE_THE_QUOTE, MAX_SECONDS};
pub use run_command::{CommandArguments, RunCommand, RunCommandInput};
use sandbox::Confinement;
pub use sandbox::{Attributes, Sandbox, SandboxUnavailable};
pub use terminal::{ExecutedCommand, LastCommand, LastCommandInput, TerminalHistory};
pub use tools::ShellTools;
pub use workspace_filter::workspace_filter;
