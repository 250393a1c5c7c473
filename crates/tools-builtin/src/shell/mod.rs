//! Running programs: bounded in time and output, with nothing left running behind.

mod capture;
mod cookie;
mod environment;
mod filter;
mod process;
mod program;
mod run_command;
#[cfg(feature = "sandbox")]
mod sandbox;
#[cfg(not(feature = "sandbox"))]
#[path = "sandbox/absent.rs"]
mod sandbox;
mod survivors;
mod tree;
mod words;

pub use environment::Environment;
pub use filter::{CommandFilter, Finding, Judgement, Rule, Verdict};
pub use run_command::{CommandArguments, RunCommand, RunCommandInput, RunCommandOutput};
#[cfg(feature = "sandbox")]
pub use sandbox::{Attributes, Sandbox, SandboxUnavailable};
