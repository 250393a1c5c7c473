//! `convert`: definitions in a provider's format.

use std::process::ExitCode;

use clap::Args;
use provider_adapters::{Options, Provider, StrictMode, ToolChoice};
use tool_core::Dialect;

use crate::failure::Failure;
use crate::options::{DefinitionOptions, Switch};
use crate::output;

/// Prints the tool definitions in a provider's format, with all lossy changes.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  toolbox convert --provider anthropic --choice read --parallel off"
)]
pub(crate) struct Convert {
    /// Provider.
    #[arg(long, value_name = "P")]
    provider: Provider,
    /// Strict schema adherence of the provider: auto, on or off.
    #[arg(long, value_name = "MODE", default_value = "auto")]
    strict: StrictMode,
    #[command(flatten)]
    definitions: DefinitionOptions,
    /// Tool choice: auto, none, required, or names of tools.
    #[arg(long, value_name = "CHOICE", default_value = "auto", value_parser = choice)]
    choice: ToolChoice,
    /// Whether the model may request several calls in one turn.
    #[arg(long, value_name = "MODE", value_enum)]
    parallel: Option<Switch>,
    /// Treat the model on openrouter as a Gemini model.
    #[arg(long)]
    gemini_model: bool,
}

impl Convert {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let definitions = self.definitions.or_default()?;
        let options = Options::default()
            .with_strict(self.strict)
            .with_choice(self.choice)
            .with_parallel(self.parallel.map(Switch::is_on))
            .with_gemini_model(self.gemini_model);
        let converted = self.provider.with_options(options).convert(&definitions);
        output::document(&converted)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn choice(text: &str) -> Result<ToolChoice, String> {
    let names: Vec<&str> = text.split(',').map(str::trim).collect();
    match names.as_slice() {
        ["auto"] => Ok(ToolChoice::Auto),
        ["none"] => Ok(ToolChoice::None),
        ["required"] => Ok(ToolChoice::Required),
        names if names.contains(&"") => {
            Err("a name is empty; separate names by single commas".to_owned())
        }
        _ => Ok(ToolChoice::named(names)),
    }
}
