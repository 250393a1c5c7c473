//! Running programs: bounded in time and output, with nothing left running behind.

mod background;
mod bash;
mod capture;
mod child;
mod command_output;
mod cookie;
mod environment;
mod filter;
mod guard;
mod launcher;
mod live;
mod memory;
mod process;
mod program;
mod remark;
mod run_command;
#[cfg(feature = "sandbox")]
mod sandbox;
#[cfg(not(feature = "sandbox"))]
#[path = "sandbox/absent.rs"]
mod sandbox;
mod streams;
mod survivors;
mod terminal;
mod tree;
mod words;

pub use background::{
    BackgroundCommand, BackgroundCommands, BackgroundList, BackgroundOutput, BackgroundOutputInput,
    BackgroundStatus, ListBackground, ListBackgroundInput, ReadBackground, StopBackground,
    StopBackgroundInput,
};
pub use bash::{Bash, BashInput};
pub use command_output::CommandOutput;
pub use environment::Environment;
pub use filter::{CommandFilter, Finding, Judgement, Rule, Verdict};
pub(crate) use run_command::CLOSE_THE_QUOTE;
pub use run_command::{CommandArguments, RunCommand, RunCommandInput};
#[cfg(feature = "sandbox")]
pub(crate) use sandbox::Confinement;
#[cfg(feature = "sandbox")]
pub use sandbox::{Attributes, Sandbox, SandboxUnavailable};
pub use terminal::{ExecutedCommand, LastCommand, LastCommandInput, TerminalHistory};
