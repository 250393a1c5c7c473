//! The command line.

use std::path::PathBuf;

use clap::Parser;
use provider_adapters::Provider;
use tools_builtin::Workspace;

/// Surveys a folder without any network, or does a task with a real model.
///
/// The exit status is 0 for a completed run, 1 for a failed one, 2 for one that cannot begin, 3 for a budget that is
/// used up, and 130 after Ctrl-C.
#[derive(Debug, Parser)]
#[command(name = "agent_loop")]
pub struct Options {
    /// The folder to work in.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub workspace: PathBuf,
    /// What to do. The built-in surveyor does one thing, whatever is written here.
    #[arg(long, value_name = "TEXT")]
    pub task: Option<String>,
    /// The provider of a real model, such as openai, anthropic, gemini or ollama. Its key comes from the variable that is
    /// usual for it, such as `OPENAI_API_KEY`.
    #[arg(long, value_name = "P")]
    pub provider: Option<Provider>,
    /// The model's name.
    #[arg(long, value_name = "M", requires = "provider")]
    pub model: Option<String>,
    /// Says that the model behind openrouter is one of Gemini.
    #[arg(long, requires = "provider")]
    pub gemini_model: bool,
    /// Where the provider is, such as `http://127.0.0.1:8080/v1`.
    #[arg(long, value_name = "U", requires = "provider")]
    pub base_url: Option<String>,
    /// Shows the model's words as they come. Bedrock's come whole.
    #[arg(long, requires = "provider")]
    pub stream: bool,
    /// Wants JSON for the final answer, and prints that alone.
    #[arg(long, requires = "provider")]
    pub json: bool,
    /// Where to put a copy of the survey, or the final answer of a real model.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// How often the model may be asked.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub max_turns: u32,
    /// How many tokens the run may use.
    #[arg(long, value_name = "N")]
    pub max_total_tokens: Option<u64>,
}

impl Options {
    /// Opens the folder to work in.
    ///
    /// # Errors
    /// One line that says why it cannot be used.
    pub fn open_workspace(&self) -> Result<Workspace, String> {
        let reason = |reason: &str| {
            let folder = self.workspace.display();
            format!("{reason}; give --workspace a folder that can be read, not `{folder}`")
        };
        let workspace =
            Workspace::open(&self.workspace).map_err(|error| reason(&error.to_string()))?;
        // A folder may be entered and still not be listed.
        std::fs::read_dir(&self.workspace).map_err(|_| reason("the folder cannot be listed"))?;
        Ok(workspace)
    }
}
