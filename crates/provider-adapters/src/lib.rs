#![doc = include_str!("../README.md")]

mod anthropic;
mod azure;
mod bedrock;
mod cohere;
mod copilot;
mod decode;
mod decoded;
mod deepseek;
mod definitions;
mod dialect;
mod encode;
mod examples;
mod gemini;
mod groq;
mod mcp;
mod mistral;
mod names;
mod ollama;
mod openai;
mod openai_flat;
mod openai_responses;
mod openrouter;
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
mod xai;

pub use decode::{DecodeError, decode};
pub use decoded::{Decoded, DecodedCall, Finish, StreamError, Usage};
pub use definitions::{DefinitionsError, definitions_from_json};
pub use dialect::{ProviderDialect, batch_convert_to_provider, convert_to_provider};
pub use encode::{Encoded, encode};
pub use options::{Options, StrictMode, ToolChoice, UnknownStrictMode};
pub use provider::{Provider, UnknownProvider};
pub use tool_set::ToolSet;
pub use transcript::{Block, Content, Message, Reasoning, ToolAnswer, Transcript};
