//! Tools for language models: define once, and have every call validated, approved, run, bounded and explained.

pub mod approval;
mod arguments;
mod call;
mod cancellation;
mod context;
mod definition;
mod dialect;
#[cfg(feature = "typed")]
mod engine;
mod error;
mod error_code;
mod fault;
mod limits;
mod name;
mod output;
mod result;
mod risk;
mod text;
mod timestamp;
mod tool;

pub use arguments::{Arguments, Change, ChangeKind, Node};
pub use call::{CallArguments, ToolCall};
pub use cancellation::CancellationToken;
pub use context::{Extensions, Progress, ProgressSink, ToolContext};
pub use definition::{Concurrency, ToolDefinition};
pub use dialect::{Converted, Dialect, Loss, LossAction, Refused};
#[cfg(feature = "typed")]
pub use engine::Engine;
pub use error::{ErrorReport, ToolError};
pub use error_code::ErrorCode;
pub use fault::Fault;
pub use limits::Limits;
pub use name::{NameError, ToolName};
pub use output::{ContentBlock, ToolOutput};
pub use result::{CallMetadata, Parameters, SideEffects, ToolResult};
pub use risk::{Hints, RiskLevel};
pub use timestamp::Timestamp;
pub use tool::Tool;
