#![doc = include_str!("../README.md")]

mod anthropic;
mod decode;
mod decoded;
mod definitions;
mod dialect;
mod encode;
mod gemini;
mod names;
mod ollama;
mod openai;
mod options;
mod plan;
mod provider;
mod request;
mod schema;
mod strictness;
#[cfg(test)]
mod tests;
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
