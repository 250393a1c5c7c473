//! What the code uses that `#[tool]`, `#[tools]` and `#[data]` generate. Not part of the API.

use std::sync::Arc;

// Hidden, so that messages of the compiler name these by their usual paths.
#[doc(hidden)]
pub use crate::typed::ToolReturn;
#[doc(hidden)]
pub use crate::{
    Arguments, CallPlan, PreparedCall, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError,
    Toolset,
};
#[doc(hidden)]
pub use {schemars, serde};

/// Creates the definition of a tool with these types.
pub fn definition<I: schemars::JsonSchema, O: ToolReturn>(
    name: &str,
    description: &str,
) -> ToolDefinition {
    O::define::<I>(name, description)
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
