//! Command line options.

use std::path::PathBuf;

use clap::Parser;
use provider_adapters::{Effort, Provider};
use tools_builtin::Workspace;

/// Surveys a directory without network access, or performs a task with a real model.
///
/// The exit status is 0 for a completed run, 1 for a failed run, 2 if the run cannot start, 3 if
/// the budget is exceeded, and 130 after Ctrl-C.
#[derive(Debug, Parser)]
#[command(name = "agent_loop")]
#[expect(clippy::struct_excessive_bools, reason = "each one is a switch")]
pub struct Options {
    /// Directory to work in.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub workspace: PathBuf,
    /// Task for the model. The built-in surveyor ignores it.
    #[arg(long, value_name = "TEXT")]
    pub task: Option<String>,
    /// Provider of a real model, such as openai, anthropic, gemini or ollama. The key is read from
    /// the provider's usual variable, such as `OPENAI_API_KEY`.
    #[arg(long, value_name = "P")]
    pub provider: Option<Provider>,
    /// Name of the model.
    #[arg(long, value_name = "M", requires = "provider")]
    pub model: Option<String>,
    /// Treat the model on openrouter as a Gemini model.
    #[arg(long, requires = "provider")]
    pub gemini_model: bool,
    /// Base URL of the provider, such as `http://127.0.0.1:8080/v1`.
    #[arg(long, value_name = "U", requires = "provider")]
    pub base_url: Option<String>,
    /// Print the model's text as it arrives. Bedrock does not stream.
    #[arg(long, requires = "provider")]
    pub stream: bool,
    /// Require JSON as the final answer, and print only the JSON.
    #[arg(long, requires = "provider")]
    pub json: bool,
    /// File for a copy of the survey, or for the final answer of a real model.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Maximum number of tokens of one reply.
    #[arg(long, value_name = "N", requires = "provider")]
    pub max_answer_tokens: Option<u32>,
    /// Randomness of the model, from 0 to 2.
    #[arg(long, value_name = "X", requires = "provider")]
    pub temperature: Option<f64>,
    /// Reasoning effort: low, medium or high.
    #[arg(long, value_name = "E", requires = "provider")]
    pub effort: Option<Effort>,
    /// Maximum time without data in seconds; for replies that are not streamed, the maximum time of
    /// the complete reply.
    #[arg(long, value_name = "SECONDS", requires = "provider", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,
    /// Maximum number of requests per turn. Failed requests are repeated.
    #[arg(long, value_name = "N", requires = "provider", default_value_t = 3)]
    pub attempts: u32,
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
