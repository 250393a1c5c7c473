//! `encode`: conversations in a provider's format.

use std::process::ExitCode;

use clap::Args;
use provider_adapters::{Provider, Transcript, encode};
use serde_json::json;

use crate::failure::Failure;
use crate::{input, output};

/// Reads a conversation from standard input and prints the corresponding part of a request.
#[derive(Debug, Args)]
#[command(after_help = r#"Example:
  echo '[{"role": "user", "content": "List the files."}]' | toolbox encode --provider gemini"#)]
pub(crate) struct Encode {
    /// Provider.
    #[arg(long, value_name = "P")]
    provider: Provider,
}

impl Encode {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let text = input::standard_input()?;
        let transcript: Transcript = serde_json::from_str(&text)
            .map_err(|error| Failure::input("standard input is not a transcript", error))?;
        let encoded = encode(self.provider, &transcript, None);
        output::document(&encoded.body)?;
        if !encoded.losses.is_empty() {
            eprintln!("{}", json!({"losses": encoded.losses}));
        }
        Ok(ExitCode::SUCCESS)
    }
}
