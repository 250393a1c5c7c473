//! Builder of views.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::Value;

use super::ViewError;
use super::derived::{Derived, MatchedNames, unmatched};
use super::operation::{Condition, Conditions, Operation};
use super::pattern::NamePattern;
use crate::registry::Registry;
use crate::registry::visible::{View, Visible};
use crate::{Extensions, Presentation, RiskLevel, ToolDefinition};

impl Registry {
    /// Begins a view: a registry that shows tools of this one under other names and descriptions.
    ///
    /// A view does not own tools. Tools that are registered, replaced or disabled below change in the next snapshot
    /// and call. Policy, approver, gate and middleware are shared with the registry and see the names of the view, which
    /// the model used. Views can be nested.
    ///
    /// A view does not bypass restrictions of the tool below. Rules that ask or deny also apply by the name below, to the
    /// arguments at that level; rules that allow apply to the shown name only. Call limits, rate limits, output limits and
    /// exceptions of the cache know a tool by both names, and count it under its registered name.
    ///
    /// A tool that is added later and cannot be shown, because its pinned parameter is missing or its name is taken, is
    /// omitted, logged and listed by [`Registry::omitted`]. A name belongs to the tool that the view renamed to it, else
    /// to the tool that was registered first.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition, ToolOutput};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tool = |name: &str, risk| {
    ///     let schema = json!({"type": "object", "properties": {"repo": {"type": "string"}, "path": {"type": "string"}}});
    ///     let definition = ToolDefinition::new(name, "Works on a repository.", schema).with_risk(risk);
    ///     DynamicTool::new(definition, |_, arguments| async { Ok(ToolOutput::json(arguments)) })
    /// };
    /// let registry = Registry::new();
    /// registry.register_all([tool("log", RiskLevel::ReadOnly), tool("push", RiskLevel::Dangerous)])?;
    ///
    /// let view = registry
    ///     .view()
    ///     .max_risk(RiskLevel::ReadOnly)
    ///     .pin("*", "repo", "toolwright")
    ///     .describe("log", "Lists the commits.")
    ///     .prefix("git")
    ///     .build()?;
    ///
    /// assert_eq!(view.list()[0].name(), "git__log");
    /// let result = view.execute("git__log", json!({"path": "src"})).await;
    /// assert_eq!(result.data, Some(json!({"path": "src", "repo": "toolwright"})));
    /// registry.register(tool("blame", RiskLevel::ReadOnly))?;
    /// assert_eq!(view.list().len(), 2);
    /// # Ok(()) }
    /// ```
    pub fn view(&self) -> ViewBuilder {
        ViewBuilder {
            registry: self.clone(),
            operations: Vec::new(),
            conditions: Vec::new(),
            allow_missing: false,
        }
    }
}

/// Builder of a view. Its steps apply in order, each to the result of the previous one.
///
/// In patterns, `*` matches any text and `?` matches one character. A name without these must exist when the view is
/// built, so that mistakes are found early; see [`ViewBuilder::allow_missing`].
///
/// # Examples
/// See [`Registry::view`].
#[must_use = "a view is created by `build`"]
pub struct ViewBuilder {
    registry: Registry,
    operations: Vec<Operation>,
    conditions: Vec<Arc<Condition>>,
    allow_missing: bool,
}

impl ViewBuilder {
    fn step(mut self, operation: Operation) -> Self {
        self.operations.push(operation);
        self
    }

    /// Shows every tool as `{prefix}__{name}`.
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        self.step(Operation::Prefix(prefix.into()))
    }

    /// Renames a tool. Consecutive renames apply in one step, so that two tools may swap their names.
    pub fn rename(mut self, tool: impl Into<String>, to: impl Into<String>) -> Self {
        let rename = (tool.into(), to.into());
        match self.operations.last_mut() {
            Some(Operation::Rename(table)) => table.push(rename),
            _ => self.operations.push(Operation::Rename(vec![rename])),
        }
        self
    }

    /// Shows only the tools that match one of the patterns.
    pub fn only<P: Into<String>>(self, patterns: impl IntoIterator<Item = P>) -> Self {
        let patterns = patterns.into_iter().map(NamePattern::new).collect();
        self.step(Operation::Only(patterns))
    }

    /// Hides the tools that match one of the patterns.
    pub fn without<P: Into<String>>(self, patterns: impl IntoIterator<Item = P>) -> Self {
        let patterns = patterns.into_iter().map(NamePattern::new).collect();
        self.step(Operation::Without(patterns))
    }

    /// Shows only the tools for which `filter` returns `true`. It is evaluated once per tool, not in each call; if it
    /// panics, the tool is hidden.
    pub fn filter(self, filter: impl Fn(&ToolDefinition) -> bool + Send + Sync + 'static) -> Self {
        self.step(Operation::Filter(Arc::new(filter)))
    }

    /// Shows only the tools with at most this risk. A call may still be riskier than its tool: see
    /// [`Tool::risk_of`](crate::Tool::risk_of).
    pub fn max_risk(self, most: RiskLevel) -> Self {
        self.step(Operation::MaxRisk(most))
    }

    /// Shows the tools that match `pattern` only if `condition` is satisfied.
    ///
    /// It is evaluated for each snapshot and each call, with the extensions of the call's options, else of the registry.
    /// It should be fast; if it panics, the tools are hidden. A view has at most 64 conditions.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, Extensions, Registry, ToolDefinition, ToolOutput};
    ///
    /// struct Administrator;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let definition = ToolDefinition::new("delete_user", "Deletes.", json!({"type": "object"}));
    /// let delete = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("gone")) });
    /// let view = Registry::of(delete)?
    ///     .view()
    ///     .when("delete_*", |host| host.get::<Administrator>().is_some())
    ///     .build()?;
    /// assert!(view.list().is_empty());
    /// let for_administrators = view.snapshot_for(&Extensions::default().with(Administrator));
    /// assert_eq!(for_administrators.list().len(), 1);
    /// # Ok(()) }
    /// ```
    pub fn when(
        mut self,
        pattern: impl Into<String>,
        condition: impl Fn(&Extensions) -> bool + Send + Sync + 'static,
    ) -> Self {
        let number = self.conditions.len();
        self.conditions.push(Arc::new(condition));
        self.step(Operation::When(NamePattern::new(pattern), number))
    }

    /// Sets the description of the tools that match `pattern`.
    pub fn describe(self, pattern: impl Into<String>, text: impl Into<String>) -> Self {
        self.step(Operation::Describe(NamePattern::new(pattern), text.into()))
    }

    /// Fixes a parameter of the tools that match `pattern`: it is not shown and cannot be sent.
    ///
    /// A named tool must have the parameter; a pattern with `*` or `?` covers the tools that have it.
    pub fn pin(self, pattern: impl Into<String>, parameter: &str, value: impl Into<Value>) -> Self {
        self.present(pattern, |visible| visible.pin(parameter, value))
    }

    /// Edits the parameters of the tools that match `pattern` with a [`Presentation`], which keeps the tool's name and
    /// description. An open schema stays open.
    ///
    /// A named tool must have the parameters; a pattern with `*` or `?` covers the tools that have all of them.
    pub fn present(
        self,
        pattern: impl Into<String>,
        edit: impl FnOnce(Presentation) -> Presentation,
    ) -> Self {
        let pattern = NamePattern::new(pattern);
        let presentation = edit(Presentation::new(pattern.as_str(), "").open());
        self.step(Operation::Present(pattern, Box::new(presentation)))
    }

    /// Accepts names of tools that do not exist yet, such as tools of a disconnected server. The steps apply to tools that
    /// are added later.
    pub fn allow_missing(mut self) -> Self {
        self.allow_missing = true;
        self
    }

    /// Builds the view. It is checked as if all conditions were satisfied.
    ///
    /// # Errors
    /// Returns [`ViewError`] if a step refers to an unknown tool or parameter, two tools would have the same name, or a
    /// shown tool would be invalid.
    pub fn build(self) -> Result<Registry, ViewError> {
        if self.conditions.len() > Conditions::MAX {
            return Err(ViewError::TooManyConditions(self.conditions.len()));
        }
        let Registry { base, visible } = self.registry;
        let tools = visible.all_tools(base.tools.load_full());
        let mut matched = MatchedNames::new();
        let all = Conditions::ALL;
        let (derived, problems) = Derived::new(
            &self.operations,
            Arc::clone(&tools),
            all,
            None,
            &mut matched,
        );
        if !self.allow_missing
            && let Some(error) = unmatched(&self.operations, &matched, &tools)
        {
            return Err(error);
        }
        if let Some(error) = problems.into_iter().next() {
            return Err(error);
        }
        let visible = Visible::View(Arc::new(View {
            below: visible,
            operations: self.operations,
            conditions: self.conditions,
            derived: ArcSwap::from_pointee(vec![Arc::new(derived)]),
        }));
        Ok(Registry { base, visible })
    }
}

impl fmt::Debug for ViewBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ViewBuilder")
            .field("steps", &self.operations.len())
            .finish_non_exhaustive()
    }
}
