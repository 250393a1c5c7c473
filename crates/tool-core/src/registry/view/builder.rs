//! Saying what a view shows.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::ViewError;
use super::derived::{Derived, Met, unmet};
use super::live::{Below, View};
use super::operation::{Condition, Conditions, Operation};
use super::pattern::NamePattern;
use crate::{Extensions, Presentation, RiskLevel, ToolDefinition, show};

/// Says what a view shows, step by step: each step sees what the ones before it made.
///
/// Where a step takes a pattern, `*` stands for any text and `?` for one character. A name without these must be
/// there when the view is built, so that a slip is found at once; see [`ViewBuilder::allow_missing`].
///
/// # Examples
/// See [`View`].
#[must_use = "a view is made by `build`"]
pub struct ViewBuilder {
    below: Below,
    operations: Vec<Operation>,
    conditions: Vec<Arc<Condition>>,
    allow_missing: bool,
}

impl ViewBuilder {
    pub(in crate::registry) fn new(below: Below) -> Self {
        Self {
            below,
            operations: Vec::new(),
            conditions: Vec::new(),
            allow_missing: false,
        }
    }

    fn step(mut self, operation: Operation) -> Self {
        self.operations.push(operation);
        self
    }

    /// Shows every tool as `{prefix}__{name}`.
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        self.step(Operation::Prefix(prefix.into()))
    }

    /// Shows a tool under another name. Renames that follow each other apply at once, so that two tools may swap
    /// their names.
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

    /// Does not show the tools that match one of the patterns.
    pub fn without<P: Into<String>>(self, patterns: impl IntoIterator<Item = P>) -> Self {
        let patterns = patterns.into_iter().map(NamePattern::new).collect();
        self.step(Operation::Without(patterns))
    }

    /// Shows only the tools that `filter` takes. It is asked once for each tool, not in each call; a tool on which it
    /// panics is not shown.
    pub fn filter(self, filter: impl Fn(&ToolDefinition) -> bool + Send + Sync + 'static) -> Self {
        self.step(Operation::Filter(Arc::new(filter)))
    }

    /// Shows only the tools whose risk is at most this. A single call of a tool may still be riskier than the tool:
    /// see [`Tool::risk_of`](crate::Tool::risk_of).
    pub fn max_risk(self, most: RiskLevel) -> Self {
        self.step(Operation::MaxRisk(most))
    }

    /// Shows the tools that match `pattern` only while `condition` holds.
    ///
    /// It is asked for each snapshot and each call, with the values that the host injects: those of the call's own
    /// options, else those of the registry. It should be quick; where it panics, the tools are not shown. A view has
    /// at most 64 conditions.
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
    /// let of_administrators = view.snapshot_for(&Extensions::default().with(Administrator));
    /// assert_eq!(of_administrators.list().len(), 1);
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

    /// Describes the tools that match `pattern` in other words.
    pub fn describe(self, pattern: impl Into<String>, text: impl Into<String>) -> Self {
        self.step(Operation::Describe(NamePattern::new(pattern), text.into()))
    }

    /// Fixes a parameter of the tools that match `pattern`: it is not shown and cannot be sent.
    ///
    /// A tool that is named must have the parameter; a pattern with `*` or `?` covers those that have it.
    pub fn pin(self, pattern: impl Into<String>, parameter: &str, value: impl Into<Value>) -> Self {
        self.present(pattern, |shown| shown.pin(parameter, value))
    }

    /// Shows the parameters of the tools that match `pattern` differently, with all the words of a
    /// [`Presentation`]; its name and its description are those that the tool has. A schema that is open stays so.
    ///
    /// A tool that is named must have the parameters; a pattern with `*` or `?` covers those that have them all.
    pub fn present(
        self,
        pattern: impl Into<String>,
        edit: impl FnOnce(Presentation) -> Presentation,
    ) -> Self {
        let pattern = NamePattern::new(pattern);
        let presentation = edit(show(pattern.as_str(), "").open());
        self.step(Operation::Present(pattern, Box::new(presentation)))
    }

    /// Takes names of tools that are not there yet, such as those of a server that is not connected. A tool that
    /// comes later is shown as the steps say.
    pub fn allow_missing(mut self) -> Self {
        self.allow_missing = true;
        self
    }

    /// Makes the view. Its conditions are taken to hold while it is checked.
    ///
    /// # Errors
    /// [`ViewError`] where a step names a tool or a parameter that is not there, two tools would have one name, or
    /// what would be shown cannot be called.
    pub fn build(self) -> Result<View, ViewError> {
        if self.conditions.len() > Conditions::MOST {
            return Err(ViewError::TooManyConditions(self.conditions.len()));
        }
        let base = self.below.all_tools();
        let mut met = Met::new();
        let all = Conditions::ALL;
        let (derived, problems) =
            Derived::new(&self.operations, Arc::clone(&base), all, None, &mut met);
        if !self.allow_missing
            && let Some(error) = unmet(&self.operations, &met, &base)
        {
            return Err(error);
        }
        match problems.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(View::new(
                self.below,
                self.operations,
                self.conditions,
                derived,
            )),
        }
    }
}

impl fmt::Debug for ViewBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ViewBuilder")
            .field("steps", &self.operations.len())
            .finish_non_exhaustive()
    }
}
