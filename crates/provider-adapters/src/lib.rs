#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod convert;
mod decoded;
mod definitions;
mod options;
mod providers;
mod schema;
mod stream;
mod strictness;
#[cfg(test)]
mod tests;
mod transcript;
mod wire;

/// JSON object.
type Object = serde_json::Map<String, serde_json::Value>;

pub use convert::{
    ConversionPlan, Encoded, ProviderDialect, StreamDecoder, batch_convert_to_provider,
    convert_to_provider, decode, decode_bytes, encode,
};
pub use decoded::{DecodeError, Decoded, DecodedCall, Finish, StreamError, Usage};
pub use definitions::{DefinitionsError, definitions_from_json, trusted_definitions_from_json};
pub use options::{ModelTraits, Options, StrictMode, ToolChoice, UnknownName};
pub use providers::Provider;
pub use stream::{Delta, PushError, StreamLimits};
pub use transcript::{Block, Content, Message, MessagePart, Reasoning, ToolMessage, Transcript};
pub use wire::{
    Effort, Endpoint, Framing, ModelSettings, ReplyFormat, StreamSwitch, UsageFields, Wire,
};

// Types in the signatures, so that a host without a registry needs no further crate.
pub use tool_core::{
    CallArguments, ContentBlock, ConversionLoss, Dialect, ErrorCode, Hints, LossKind,
    ProviderTools, RejectedTool, RiskLevel, ToolCall, ToolDefinition, ToolError, ToolResult,
};
