//! `decode`: what a model answered.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use provider_adapters::{Decoded, Provider, PushError, StreamDecoder, ToolSet, decode};
use serde_json::Value;

use crate::failure::Failure;
use crate::options::DefinitionOptions;
use crate::{input, output};

/// How the events of a stream are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stream {
    /// One per line, as it stands after `data:`.
    Events,
    /// As they come over the network.
    Sse,
}

/// Reads a provider's response from standard input, whole or as a stream, and prints its text and calls.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  toolbox decode --provider openai --contract standard < response.json\n  \
                  curl -N … | toolbox decode --provider anthropic --stream sse"
)]
pub(crate) struct Decode {
    /// The provider.
    #[arg(long, value_name = "P")]
    provider: Provider,
    /// The response is a stream. Bedrock and MCP have none in text: give their events.
    #[arg(long, value_name = "FORM")]
    stream: Option<Stream>,
    #[command(flatten)]
    definitions: DefinitionOptions,
}

impl Decode {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let tools = self
            .definitions
            .named()?
            .map(|definitions| ToolSet::new(self.provider, &definitions));
        let decoded = match self.stream {
            None => self.whole(tools.as_ref())?,
            Some(form) => self.streamed(form, tools.as_ref())?,
        };
        output::document(&decoded)?;
        Ok(ExitCode::SUCCESS)
    }

    fn whole(&self, tools: Option<&ToolSet>) -> Result<Decoded, Failure> {
        let text = input::standard_input()?;
        let response: Value = serde_json::from_str(&text)
            .map_err(|error| Failure::input("standard input is not JSON", error))?;
        decode(self.provider, &response, tools)
            .map_err(|error| Failure::input("standard input", error))
    }

    /// What cannot be read in a stream is told in the answer, as the provider's own errors are.
    fn streamed(&self, form: Stream, tools: Option<&ToolSet>) -> Result<Decoded, Failure> {
        let bytes = input::standard_input_bytes()?;
        let mut decoder = StreamDecoder::new(self.provider);
        let pushed = match form {
            Stream::Sse => decoder.push_bytes(&bytes, |_| {}),
            Stream::Events => String::from_utf8_lossy(&bytes)
                .lines()
                .try_for_each(|line| decoder.push_event(line, |_| {})),
        };
        match pushed {
            Err(error @ PushError::NoText) => Err(Failure::input("--stream sse", error)),
            _ => Ok(decoder.finish(tools)),
        }
    }
}
