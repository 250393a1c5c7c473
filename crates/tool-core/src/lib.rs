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
//! `tool_fn` and `TypedTool` require the feature `typed`, and a [`Registry`] the feature `validate`: without it, the crate
//! has the data that libraries exchange, such as definitions, calls and results.
//!
//! # Modules
//!
//! Types that most programs use are at the root. The modules are parts that you choose:
//!
//! | module | contents |
//! |---|---|
//! | [`approval`] | policy, rules, requests, approvers and decisions |
//! | [`audit`] | audit records and their sinks |
//! | [`ledger`] | calls that run at most once per key |
//! | [`middleware`] | retries and the application's own layers around the run of a tool |
//! | [`output_store`] | the full text of outputs that are too long for the model |
//! | [`schema`] | schemas from types or by hand, and their validation |
//! | [`search`] | definitions that a model finds by searching |
#![cfg_attr(docsrs, feature(doc_cfg))]
// The registry is behind `validate`, and it is the only caller of many private methods of the types below it. An attribute
// for each of them would hide the code.
#![cfg_attr(
    not(feature = "validate"),
    allow(
        dead_code,
        reason = "called by the registry, with the feature `validate`"
    )
)]

/// Implements `Debug` with some values of a type whose other fields have no text, or may contain secrets.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_fields {
    ($type:ident) => { $crate::debug_fields!($type, _this =>); };
    ($([$($of:ident),+])? $type:ident $(<$($argument:tt),+>)?, $this:ident => $($field:ident: $value:expr),*) => {
        impl $(<$($of),+>)? ::std::fmt::Debug for $type $(<$($argument),+>)? {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let ($this, mut shown) = (self, f.debug_struct(stringify!($type)));
                $(shown.field(stringify!($field), &$value);)*
                shown.finish_non_exhaustive()
            }
        }
    };
}

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
#[cfg(feature = "validate")]
mod catalog;
mod change;
mod clock;
mod content_block;
mod context;
mod definition;
mod dialect;
#[cfg(feature = "validate")]
mod dispatch;
mod dynamic;
mod error;
mod error_code;
mod executed_arguments;
pub mod ledger;
pub mod middleware;
mod name;
mod or_fail;
mod output;
mod output_limit;
pub mod output_store;
mod parameter_names;
mod parse_error;
mod places;
mod redactor;
#[cfg(feature = "validate")]
mod registry;
mod reports;
mod result;
mod risk;
pub mod schema;
pub mod search;
mod secret;
mod telemetry;
mod text;
mod timestamp;
mod tool;
mod toolset;
mod touches;
#[cfg(feature = "typed")]
mod typed;
mod validation_issue;

pub use adapted_tool::AdaptedTool;
pub use approval::plan::CallPlan;
pub use arguments::Arguments;
pub use call::{ArgumentsInput, CallArguments, ToolCall};
pub use call_options::{CallOptions, StartSink};
pub use cancellation::CancellationToken;
pub use change::{ArgumentChange, ChangeKind};
pub use clock::Clock;
pub use content_block::{ContentBlock, ResourceContents};
pub use context::{Extensions, Progress, ProgressSink, ToolContext};
pub use definition::ToolDefinition;
pub use dialect::{ConversionLoss, Dialect, LossKind, ProviderTools, RejectedTool};
pub use dynamic::DynamicTool;
#[doc(hidden)]
pub use error::TextForModel;
pub use error::{ErrorReport, ToolError};
pub use error_code::ErrorCode;
pub use executed_arguments::ExecutedArguments;
pub use name::{NameError, ToolName};
pub use or_fail::OrFail;
pub use output::ToolOutput;
pub use output_limit::{LongOutput, OutputLimit, omission};
pub use redactor::{LearnError, Redactor};
pub use result::{CallMetadata, ToolResult};
pub use risk::{Hints, RiskLevel, SideEffects};
pub use secret::Secret;
#[doc(hidden)]
pub use text::nearest;
pub use timestamp::Timestamp;
pub use tool::{CallFuture, PreparedCall, Tool};
pub use tool_json::{JsonRef, RepairKind, trim};
#[cfg(feature = "macros")]
#[doc(inline)]
pub use tool_macros::{core_data as data, core_tool as tool, core_tools as tools};
pub use toolset::{Toolset, ToolsetError};
pub use touches::Touches;
pub use validation_issue::ValidationIssue;
#[cfg(feature = "validate")]
pub use {
    catalog::RegisterError,
    dispatch::{STEPS, Step, Validation, ValidationOutcome},
    registry::{
        CallEvent, CallHandle, Refreshed, Registry, RegistryBuilder, SourceError, ToolSource,
        UnknownTool,
    },
};
#[cfg(feature = "typed")]
pub use {
    schema::derive::schema_of,
    typed::{FunctionTool, ToolData, ToolInput, Typed, TypedTool, tool_fn},
};

pub(crate) use smol_str::SmolStr;
