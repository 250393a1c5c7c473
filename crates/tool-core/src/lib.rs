#![doc = include_str!("../README.md")]
//!
//! # Which tool trait?
//!
//! | form | use it if | register |
//! |---|---|---|
//! | [`tool_fn`] | a closure is enough | `tool_fn(name, description, closure)` |
//! | [`TypedTool`] | the tool has state, a check, a risk per call, a preview, its own text or several names | [`Typed::new`] with a name and a description |
//! | [`DynamicTool`] | the schema is known only at run time | `DynamicTool::new(definition, closure)` |
//! | [`AdaptedTool`] | an existing tool needs another name or description, or a higher risk | `AdaptedTool::new(tool).renamed("search")` |
//! | [`Tool`] | the tool wraps another tool, or needs the unconverted [`Arguments`]; object-safe, implemented by all other forms | the value itself |
//!
//! `tool_fn` and `TypedTool` require the feature `typed`.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`approval`] | policy, rules, requests, approvers and decisions |
//! | [`audit`] | audit records and their sinks |
//! | [`error`], [`result`] | errors and results of calls, as data |
//! | [`ledger`] | calls that run at most once per key |
//! | [`middleware`] | retries and the application's own layers around the run of a tool |
//! | [`output_limit`], [`output_store`], [`redactor`] | size, storage and redaction of outputs |
//! | [`registry`] | registration, sources, snapshots, batches and call handles |
//! | [`schema`] | schemas from types or by hand, and their validation |
//! | [`typed`] | closures and typed tools |
#![cfg_attr(docsrs, feature(doc_cfg))]
// Without typed tools and validation, some functions have no caller. To leave out each of them would hide what a feature
// adds.
#![cfg_attr(
    not(feature = "validate"),
    allow(dead_code, reason = "called with the feature `validate` or `typed`")
)]

#[cfg(feature = "typed")]
#[doc(hidden)]
#[path = "macros.rs"]
pub mod __macros;
mod adapted_tool;
pub mod approval;
mod arguments;
pub mod audit;
mod call;
mod call_key;
mod call_options;
mod cancellation;
mod catalog;
pub mod change;
pub mod clock;
mod content_block;
mod context;
mod definition;
mod dialect;
mod dispatch;
mod dynamic;
pub mod error;
mod error_code;
mod executed_arguments;
pub mod ledger;
pub mod middleware;
pub mod name;
mod or_fail;
mod output;
pub mod output_limit;
pub mod output_store;
mod parse_error;
mod places;
pub mod redactor;
pub mod registry;
mod reports;
pub mod result;
mod risk;
pub mod schema;
mod secret;
mod telemetry;
mod text;
mod timestamp;
mod tool;
mod toolset;
mod touches;
#[cfg(feature = "typed")]
pub mod typed;
mod validation_issue;

pub use adapted_tool::AdaptedTool;
pub use approval::CallPlan;
pub use arguments::Arguments;
pub use call::{ArgumentsInput, CallArguments, ToolCall};
pub use call_options::CallOptions;
pub use cancellation::CancellationToken;
pub use catalog::RegisterError;
pub use content_block::{ContentBlock, ResourceContents};
pub use context::{Extensions, Progress, ProgressSink, ToolContext};
pub use definition::ToolDefinition;
pub use dialect::{ConversionLoss, Dialect, LossKind, ProviderTools, RejectedTool};
pub use dispatch::{STEPS, Step};
pub use dynamic::DynamicTool;
pub use error::ToolError;
pub use error_code::ErrorCode;
pub use name::ToolName;
pub use or_fail::OrFail;
pub use output::ToolOutput;
pub use output_limit::OutputLimit;
pub use redactor::Redactor;
pub use registry::{CallHandle, Registry, RegistryBuilder};
pub use result::ToolResult;
pub use risk::{Hints, RiskLevel, SideEffects};
#[cfg(feature = "typed")]
pub use schema::schema_of;
pub use secret::Secret;
#[doc(hidden)]
pub use text::nearest;
pub use timestamp::Timestamp;
pub use tool::{CallFuture, PreparedCall, Tool};
pub use tool_json::{JsonRef, trim};
#[cfg(feature = "macros")]
#[doc(inline)]
pub use tool_macros::{core_data as data, core_tool as tool, core_tools as tools};
pub use toolset::{Toolset, ToolsetError};
pub use touches::Touches;
#[cfg(feature = "typed")]
pub use typed::{Typed, TypedTool, tool_fn};
pub use validation_issue::ValidationIssue;

pub(crate) use change::{ArgumentChange, ChangeKind};
pub(crate) use clock::Clock;
pub(crate) use error::ErrorReport;
pub(crate) use name::NameError;
pub(crate) use result::CallMetadata;
pub(crate) use smol_str::SmolStr;
