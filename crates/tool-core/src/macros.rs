//! What the code uses that `#[tool]`, `#[tools]` and `#[data]` generate. Not part of the API.

use std::sync::Arc;

use crate::approval::Preview;

// Hidden, so that messages of the compiler name these by their usual paths.
#[doc(hidden)]
pub use crate::typed::ToolReturn;
#[doc(hidden)]
pub use crate::{
    Arguments, CallPlan, PreparedCall, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError,
    ToolInput, ToolOutput, Toolset,
};
#[doc(hidden)]
pub use {schemars, serde};

/// A struct of parameters that a model can send. All errors about their types are this one: the struct is generic, so its
/// derives compile with any type.
#[diagnostic::on_unimplemented(
    message = "a parameter of `{Self}` has a type that a model cannot send",
    label = "a tool cannot have this parameter",
    note = "write `#[data]` above the type, or `#[derive(serde::Deserialize, schemars::JsonSchema)]` with schemars 1"
)]
pub trait Parameters: ToolInput {}

#[diagnostic::do_not_recommend]
impl<T: ToolInput> Parameters for T {}

/// Conversions of a tool. The bounds are here and nowhere else, so that the compiler reports a missing derive once.
#[derive(Debug)]
pub struct Conversions<I, O> {
    pub define: fn(&str, &str) -> ToolDefinition,
    pub read: fn(&Arguments<'_>) -> Result<I, ToolError>,
    pub write: fn(O) -> Result<ToolOutput, ToolError>,
}

/// Returns the conversions of a tool with this input and output.
#[inline]
pub fn conversions<I: Parameters, O: ToolReturn>() -> Conversions<I, O> {
    Conversions {
        define: O::define::<I>,
        read: I::from_arguments,
        write: O::into_output,
    }
}

/// Returns what a call would do, for the person who approves it.
pub fn preview(text: String) -> Result<Option<Preview>, ToolError> {
    Ok(Some(Preview::text(text)))
}

/// Creates a toolset of tools whose names differ, as the macro has checked.
pub fn toolset(name: &str, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Toolset {
    Toolset::of_distinct(name, tools)
}

/// A parameter that holds paths.
pub trait Paths {
    /// Adds each path to the plan.
    fn fold(&self, plan: CallPlan, add: impl Fn(CallPlan, String) -> CallPlan) -> CallPlan;
}

impl Paths for String {
    fn fold(&self, plan: CallPlan, add: impl Fn(CallPlan, String) -> CallPlan) -> CallPlan {
        add(plan, self.clone())
    }
}

impl Paths for Option<String> {
    fn fold(&self, plan: CallPlan, add: impl Fn(CallPlan, String) -> CallPlan) -> CallPlan {
        self.iter().cloned().fold(plan, add)
    }
}

impl Paths for Vec<String> {
    fn fold(&self, plan: CallPlan, add: impl Fn(CallPlan, String) -> CallPlan) -> CallPlan {
        self.iter().cloned().fold(plan, add)
    }
}
