//! A tool under another name or description, or with a higher risk.

use async_trait::async_trait;

use crate::ledger::Verified;
use crate::{Arguments, PreparedCall, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError};

/// A tool under another name or description, or with a higher risk. The arguments and the outputs stay the tool's own.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{AdaptedTool, DynamicTool, Registry, RiskLevel, ToolDefinition, ToolOutput};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let definition = ToolDefinition::new("push", "Pushes.", json!({"type": "object"}));
/// let push = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("pushed")) });
///
/// let adapted = AdaptedTool::new(push)
///     .prefixed("git")
///     .described("Pushes the commits of the branch.")
///     .at_least(RiskLevel::Dangerous);
///
/// let registry = Registry::of(adapted)?;
/// assert_eq!(registry.list()[0].name(), "git__push");
/// assert!(!registry.execute("git__push", json!({})).await.success, "nobody approved it");
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[must_use]
pub struct AdaptedTool<T> {
    tool: T,
    definition: ToolDefinition,
    least: RiskLevel,
}

impl<T: Tool> AdaptedTool<T> {
    /// Wraps a tool without changing it.
    pub fn new(tool: T) -> Self {
        Self {
            definition: tool.definition().clone(),
            tool,
            least: RiskLevel::ReadOnly,
        }
    }

    /// Sets the name.
    pub fn renamed(self, name: &str) -> Self {
        self.defined(|definition| definition.with_name(name))
    }

    /// Puts a prefix and two underscores before the name, so that tools of several servers differ.
    pub fn prefixed(self, prefix: &str) -> Self {
        let name = format!("{prefix}__{}", self.definition.name());
        self.renamed(&name)
    }

    /// Sets the description.
    pub fn described(self, description: &str) -> Self {
        self.defined(|definition| definition.with_description(description))
    }

    /// Raises the risk of the tool and of every call to at least `risk`. A wrapper cannot lower a risk, because the tool knows
    /// best what it can break.
    pub fn at_least(self, risk: RiskLevel) -> Self {
        let least = self.least.max(risk);
        let adapted = Self { least, ..self };
        // `with_risk` would lower a higher risk.
        if adapted.definition.risk() >= least {
            return adapted;
        }
        adapted.defined(|definition| definition.with_risk(least))
    }

    pub(crate) fn defined(self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        Self {
            definition: change(self.definition),
            ..self
        }
    }
}

#[async_trait]
impl<T: Tool> Tool for AdaptedTool<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let prepared = self.tool.prepare(cx, arguments)?;
        Ok(prepared.at_least(self.least))
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        self.tool.verify(cx, arguments).await
    }
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{CallPlan, ToolOutput};

    /// A tool with its own plan.
    struct Planned(ToolDefinition, CallPlan);

    impl Tool for Planned {
        fn definition(&self) -> &ToolDefinition {
            &self.0
        }

        fn prepare<'a>(
            &'a self,
            _cx: &'a ToolContext,
            _arguments: &'a Arguments<'a>,
        ) -> Result<PreparedCall<'a>, ToolError> {
            Ok(PreparedCall::new(self.1.clone(), async {
                Ok(ToolOutput::text("done"))
            }))
        }
    }

    fn planned(plan: CallPlan) -> Planned {
        let definition = ToolDefinition::new("f", "F.", json!({"type": "object"}));
        Planned(definition.with_risk(RiskLevel::ReadOnly), plan)
    }

    fn plan_of(tool: &dyn Tool) -> CallPlan {
        let (cx, arguments) = (ToolContext::test(), Arguments::from_value(json!({})));
        tool.prepare(&cx, &arguments).unwrap().plan
    }

    #[test]
    fn risk_of_call_is_never_lowered() {
        use RiskLevel::{Dangerous, ReadOnly, SafeWrite};
        for (own, least, expected) in [
            (ReadOnly, ReadOnly, ReadOnly),
            (ReadOnly, SafeWrite, SafeWrite),
            (Dangerous, SafeWrite, Dangerous),
        ] {
            let adapted = AdaptedTool::new(planned(own.into()))
                .at_least(least)
                .at_least(ReadOnly);

            assert_eq!(plan_of(&adapted).risk, expected);
            assert_eq!(adapted.definition().risk(), least);
        }
    }

    #[test]
    fn rest_of_the_plan_stays() {
        let plan = CallPlan::of(RiskLevel::SafeWrite)
            .writes("a.txt")
            .once("7")
            .asking("network", "connects");

        let adapted = AdaptedTool::new(planned(plan.clone())).renamed("g");

        assert_eq!(plan_of(&adapted), plan);
    }
}
