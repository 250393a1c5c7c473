#![doc = include_str!("../README.md")]

pub mod answer;
pub mod approval;
mod arguments;
pub mod audit;
mod call;
mod call_options;
mod cancellation;
mod catalog;
mod change;
mod clock;
mod concurrency;
mod context;
mod definition;
mod dialect;
mod dispatch;
mod dynamic;
#[cfg(feature = "typed")]
mod engine;
mod error;
mod error_code;
mod fault;
pub mod forms;
mod json;
mod limits;
pub mod middleware;
mod milliseconds;
mod name;
mod notes;
mod output;
mod output_limit;
pub mod output_store;
mod parameters;
mod places;
#[cfg(feature = "typed")]
mod present;
mod redactor;
mod registry;
mod reports;
mod result;
mod risk;
mod schema;
mod secret;
mod short_text;
mod telemetry;
mod text;
mod timestamp;
mod tool;
#[cfg(feature = "tower")]
pub mod tower;
#[cfg(feature = "typed")]
mod typed;

pub use arguments::Arguments;
pub use call::{CallArguments, ToolCall};
pub use call_options::CallOptions;
pub use cancellation::CancellationToken;
pub use catalog::RegisterError;
pub use change::{Change, ChangeKind};
pub use clock::Clock;
pub use concurrency::Concurrency;
pub use context::{Extensions, Progress, ProgressSink, ToolContext};
pub use definition::ToolDefinition;
pub use dialect::{Converted, Dialect, Loss, LossAction, Refused};
pub use dispatch::{Validation, ValidationOutcome};
pub use dynamic::DynamicTool;
#[cfg(feature = "typed")]
pub use engine::Engine;
pub use error::{ErrorReport, ToolError};
pub use error_code::ErrorCode;
pub use fault::Fault;
pub use json::Node;
pub use limits::Limits;
pub use name::{NameError, ToolName};
pub use notes::Notes;
pub use output::{ContentBlock, ToolOutput};
pub use output_limit::{OutputLimit, estimate_tokens};
pub use output_store::STORED_OUTPUT;
pub use parameters::Parameters;
#[cfg(feature = "typed")]
pub use present::{Contract, Presentation, PresentationError, Presented, show};
pub use redactor::{Redactor, ShortSecret};
pub use registry::{
    CallHandle, GroupReport, GroupState, Refresh, Refreshed, Registry, RegistryBuilder, Report,
    Snapshot, Source, SourceError, ToolGroup,
};
#[cfg(feature = "typed")]
pub use registry::{View, ViewBuilder, ViewError};
pub use result::{CallMetadata, SideEffects, ToolResult};
pub use risk::{Hints, RiskLevel};
#[cfg(feature = "typed")]
pub use schema::schema_of;
#[cfg(feature = "validate")]
pub use schema::{CompiledSchema, SchemaError};
pub use schema::{Schema, kind as schema_kind};
pub use secret::Secret;
pub use short_text::ShortText;
pub use timestamp::Timestamp;
pub use tool::Tool;
#[cfg(feature = "typed")]
pub use typed::{FunctionTool, ToolData, ToolInput, Typed, TypedTool, tool_fn};
