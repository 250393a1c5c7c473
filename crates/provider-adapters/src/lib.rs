#![doc = include_str!("../README.md")]

mod anthropic;
mod decode;
mod decoded;
mod definitions;
#[cfg(test)]
mod derived;
mod dialect;
mod encode;
mod gemini;
#[cfg(test)]
mod laws;
mod names;
mod ollama;
mod openai;
mod options;
mod plan;
mod provider;
mod request;
#[cfg(test)]
mod round_trip;
mod schema;
mod strictness;
mod tool_set;
mod transcript;
mod wire;

pub use decode::{DecodeError, decode};
pub use decoded::{Decoded, DecodedCall, Finish, StreamError, Usage};
pub use definitions::{DefinitionsError, definitions_from_json};
pub use dialect::{ProviderDialect, batch_convert_to_provider, convert_to_provider};
pub use encode::{Encoded, encode};
pub use options::{Options, StrictMode, ToolChoice, UnknownStrictMode};
pub use provider::{Provider, UnknownProvider};
pub use tool_set::ToolSet;
pub use transcript::{Block, Content, Message, Reasoning, ToolAnswer, Transcript};
