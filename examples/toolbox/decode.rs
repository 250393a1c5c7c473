//! `decode`: what a model answered.

use std::process::ExitCode;

use clap::Args;
use provider_adapters::{Provider, ToolSet, decode};
use serde_json::Value;

use crate::failure::Failure;
use crate::options::DefinitionOptions;
use crate::{input, output};

/// Reads a provider's whole response from standard input and prints its text and calls.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  toolbox decode --provider openai --contract standard < response.json"
)]
pub(crate) struct Decode {
    /// The provider.
    #[arg(long, value_name = "P")]
    provider: Provider,
    #[command(flatten)]
    definitions: DefinitionOptions,
}

impl Decode {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let tools = self
            .definitions
            .named()?
            .map(|definitions| ToolSet::new(self.provider, &definitions));
        let text = input::standard_input()?;
        let response: Value = serde_json::from_str(&text)
            .map_err(|error| Failure::input("standard input is not JSON", error))?;
        let decoded = decode(self.provider, &response, tools.as_ref())
            .map_err(|error| Failure::input("standard input", error))?;
        output::document(&decoded)?;
        Ok(ExitCode::SUCCESS)
    }
}
