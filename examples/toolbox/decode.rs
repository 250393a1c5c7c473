//! `decode`: responses of a model.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use provider_adapters::{Decoded, Provider, PushError, StreamDecoder, decode};
use serde_json::Value;
use tool_core::{Dialect, ProviderTools};

use crate::failure::Failure;
use crate::options::DefinitionOptions;
use crate::{input, output};

/// Format of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stream {
    /// One event per line, without `data:`.
    Events,
    /// Server-sent events, as received over the network.
    Sse,
}

/// Reads a provider's response or stream from standard input and prints the decoded text and calls.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  toolbox decode --provider openai --contract standard < response.json\n  \
                  curl -N … | toolbox decode --provider anthropic --stream sse"
)]
pub(crate) struct Decode {
    /// Provider.
    #[arg(long, value_name = "P")]
    provider: Provider,
    /// Read a stream. Bedrock and MCP have no text format; pass their events.
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
            .map(|definitions| self.provider.convert(&definitions));
        let decoded = match self.stream {
            None => self.whole(tools.as_ref())?,
            Some(form) => self.streamed(form, tools.as_ref())?,
        };
        output::document(&decoded)?;
        Ok(ExitCode::SUCCESS)
    }

    fn whole(&self, tools: Option<&ProviderTools>) -> Result<Decoded, Failure> {
        let text = input::standard_input()?;
        let response: Value = serde_json::from_str(&text)
            .map_err(|error| Failure::input("standard input is not JSON", error))?;
        decode(self.provider, &response, tools)
            .map_err(|error| Failure::input("standard input", error))
    }

    /// Reports errors in the stream in the decoded response, like errors sent by the provider.
    fn streamed(&self, form: Stream, tools: Option<&ProviderTools>) -> Result<Decoded, Failure> {
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
