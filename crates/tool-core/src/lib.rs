#![doc = include_str!("../README.md")]

pub mod approval;
mod arguments;
pub mod audit;
mod call;
mod call_options;
mod cancellation;
mod catalog;
pub mod change;
pub mod clock;
mod concurrency;
mod context;
mod definition;
mod dialect;
mod digest;
mod dispatch;
mod dynamic;
pub mod error;
mod error_code;
mod fault;
pub mod middleware;
mod milliseconds;
pub mod name;
mod notes;
mod output;
pub mod output_limit;
pub mod output_store;
mod parameters;
mod parse_error;
mod places;
#[cfg(feature = "typed")]
mod present;
pub mod redactor;
pub mod registry;
mod reports;
pub mod result;
mod risk;
pub mod schema;
mod secret;
mod short_text;
mod sync;
mod telemetry;
mod text;
mod text_limit;
mod timestamp;
mod tool;
#[cfg(feature = "tower")]
pub mod tower;
#[cfg(feature = "typed")]
pub mod typed;

pub use arguments::Arguments;
pub use call::{CallArguments, ToolCall};
pub use call_options::CallOptions;
pub use cancellation::CancellationToken;
pub use catalog::RegisterError;
pub use concurrency::Concurrency;
pub use context::{Extensions, Progress, ProgressSink, ToolContext};
pub use definition::ToolDefinition;
pub use dialect::{ConversionLoss, Dialect, LossKind, ProviderTools, RejectedTool};
pub use dynamic::DynamicTool;
pub use error::ToolError;
pub use error_code::ErrorCode;
pub use fault::ValidationIssue;
pub use name::ToolName;
pub use output::{ContentBlock, ToolOutput};
pub use output_limit::OutputLimit;
#[cfg(feature = "typed")]
pub use present::{AdaptedTool, Presentation, PresentationError, Toolset};
pub use redactor::Redactor;
pub use registry::{CallHandle, Registry, RegistryBuilder};
pub use result::{SideEffects, ToolResult};
pub use risk::{Hints, RiskLevel};
#[cfg(feature = "typed")]
pub use schema::schema_of;
pub use secret::Secret;
pub use text_limit::TextLimit;
pub use timestamp::Timestamp;
pub use tool::Tool;
pub use tool_json::{JsonRef, trim};
#[cfg(feature = "typed")]
pub use typed::{Typed, TypedTool, tool_fn};

pub(crate) use change::{ArgumentChange, ChangeKind};
pub(crate) use clock::Clock;
pub(crate) use error::ErrorReport;
pub(crate) use name::NameError;
pub(crate) use result::CallMetadata;
pub(crate) use result::Notes;
pub(crate) use short_text::ShortText;
#[cfg(feature = "typed")]
pub(crate) use typed::ToolInput;
