//! `completions`: scripts for shells.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Toolbox;
use crate::failure::Failure;
use crate::output;

/// Prints the completions of a shell.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  source <(toolbox completions bash)
  toolbox completions fish > ~/.config/fish/completions/toolbox.fish")]
pub(crate) struct Completions {
    /// Shell that reads them.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        // In memory, because the generator panics if its output is closed.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Toolbox::command(), "toolbox", &mut script);
        output::text(&String::from_utf8_lossy(&script))?;
        Ok(ExitCode::SUCCESS)
    }
}
