//! Command line options.

use std::path::PathBuf;

use clap::Parser;
use examples::provider::ProviderOptions;
use tools_builtin::Workspace;

/// Surveys a directory without network access, or performs a task with a real model.
///
/// The exit status is 0 for a completed run, 1 for a failed run, 2 if the run cannot start, 3 if
/// the budget is exceeded, and 130 after Ctrl-C.
#[derive(Debug, Parser)]
#[command(name = "task")]
pub struct Options {
    /// Directory to work in.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub workspace: PathBuf,
    /// Task for the model. The built-in surveyor ignores it.
    #[arg(long, value_name = "TEXT")]
    pub task: Option<String>,
    #[command(flatten)]
    pub model: ProviderOptions,
    /// Require JSON as the final answer, and print only the JSON.
    #[arg(long, requires = "provider")]
    pub json: bool,
    /// File for a copy of the survey, or for the final answer of a real model.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// New file that records the run for reports and replays.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// File for an HTML report of the run, which is replaced if it exists.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// File that records the run. A new file is created.
    #[arg(long, value_name = "FILE", requires = "provider")]
    pub transcript: Option<PathBuf>,
    /// Continue the run in the file of --transcript. A --task is added to a finished run.
    #[arg(long, requires = "transcript")]
    pub resume: bool,
    /// Maximum number of turns.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub max_turns: u32,
    /// Maximum number of tokens of the run.
    #[arg(long, value_name = "N")]
    pub max_total_tokens: Option<u64>,
}

impl Options {
    /// Opens the workspace.
    ///
    /// # Errors
    /// Returns a one-line message if the directory cannot be used.
    pub fn open_workspace(&self) -> Result<Workspace, String> {
        let reason = |reason: &str| {
            let folder = self.workspace.display();
            format!("{reason}; set --workspace to a readable directory instead of `{folder}`")
        };
        let workspace =
            Workspace::open(&self.workspace).map_err(|error| reason(&error.to_string()))?;
        // A directory may be accessible without being listable.
        std::fs::read_dir(&self.workspace).map_err(|_| reason("the directory cannot be listed"))?;
        Ok(workspace)
    }
}
