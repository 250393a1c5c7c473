//! A view that follows its registry.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::Value;

use super::ViewBuilder;
use super::derived::{Derived, Met};
use super::operation::{Condition, Conditions, Operation};
use crate::catalog::Tools;
use crate::dispatch::Validation;
use crate::registry::{CallHandle, Registry, Snapshot, State};
use crate::{
    CallArguments, CallOptions, Converted, Dialect, Extensions, Refused, Tool, ToolCall,
    ToolDefinition, ToolResult,
};

/// Outcomes kept, one for each set of conditions that hold.
const MAX_DERIVED: usize = 16;

/// Another face of a registry: some of its tools, under other names and in other words. Cloning is cheap.
///
/// A view owns no tools. What is registered, replaced or switched off below shows in the next snapshot and the next
/// call; policy, approver, gate and middleware are those of the registry, and judge by the names of the view, which
/// are the ones the model saw. A view can be made of a view.
///
/// A view is no way around what the host says of the tool below. A rule that asks or denies holds under the name below
/// too, for the arguments as they are there; one that allows holds for the name it is written for alone. Call and rate
/// limits, output limits and exceptions of the cache know a tool by both names, and count it under its own.
///
/// What comes later and cannot be shown is left out, is logged, and is listed by [`View::left_out`]: a tool whose
/// pinned parameter is gone, or one whose name is taken. A name belongs to the tool that the view renamed to it, else
/// to the one that was registered first.
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
#[derive(Clone)]
pub struct View(Arc<Inner>);

struct Inner {
    below: Below,
    operations: Vec<Operation>,
    conditions: Vec<Arc<Condition>>,
    derived: ArcSwap<Vec<Arc<Derived>>>,
}

/// What a view is a view of.
#[derive(Clone)]
pub(in crate::registry) enum Below {
    Registry(Arc<State>),
    View(View),
}

impl Below {
    fn state(&self) -> &Arc<State> {
        match self {
            Self::Registry(state) => state,
            Self::View(view) => view.0.below.state(),
        }
    }

    fn tools(&self, host: &Extensions) -> Arc<Tools> {
        match self {
            Self::Registry(state) => state.tools.load_full(),
            Self::View(view) => view.tools(host),
        }
    }

    /// The tools when all conditions hold.
    pub(super) fn all_tools(&self) -> Arc<Tools> {
        match self {
            Self::Registry(state) => state.tools.load_full(),
            Self::View(view) => view.tools_under(view.0.below.all_tools(), Conditions::ALL),
        }
    }
}

impl Registry {
    /// Begins a view: another face of this registry.
    pub fn view(&self) -> ViewBuilder {
        ViewBuilder::new(Below::Registry(Arc::clone(&self.0)))
    }
}

impl View {
    pub(super) fn new(
        below: Below,
        operations: Vec<Operation>,
        conditions: Vec<Arc<Condition>>,
        derived: Derived,
    ) -> Self {
        Self(Arc::new(Inner {
            below,
            operations,
            conditions,
            derived: ArcSwap::from_pointee(vec![Arc::new(derived)]),
        }))
    }

    /// Begins a view of this view.
    pub fn view(&self) -> ViewBuilder {
        ViewBuilder::new(Below::View(self.clone()))
    }

    fn tools(&self, host: &Extensions) -> Arc<Tools> {
        let conditions = Conditions::ask(&self.0.conditions, host);
        self.tools_under(self.0.below.tools(host), conditions)
    }

    fn tools_under(&self, base: Arc<Tools>, conditions: Conditions) -> Arc<Tools> {
        let known = self.0.derived.load();
        match known
            .iter()
            .find(|derived| derived.is_of(&base, conditions))
        {
            Some(derived) => Arc::clone(derived.tools()),
            None => self.derive(base, conditions, &known),
        }
    }

    fn derive(
        &self,
        base: Arc<Tools>,
        conditions: Conditions,
        known: &[Arc<Derived>],
    ) -> Arc<Tools> {
        let before = known.iter().find(|derived| derived.is_under(conditions));
        let before = before.map(AsRef::as_ref);
        let operations = &self.0.operations;
        let (derived, problems) =
            Derived::new(operations, base, conditions, before, &mut Met::new());
        for problem in &problems {
            tracing::warn!(%problem, "a view leaves a tool out");
        }
        let derived = Arc::new(derived);
        self.0.derived.rcu(|known| {
            let current = known
                .iter()
                .filter(|one| one.generation() >= derived.generation());
            let newest_first = [&derived].into_iter().chain(current);
            newest_first.take(MAX_DERIVED).cloned().collect::<Vec<_>>()
        });
        Arc::clone(derived.tools())
    }

    /// Pins the tools as they are under these values of the host, in place of the registry's.
    #[must_use]
    pub fn snapshot_for(&self, host: &Extensions) -> Snapshot {
        Snapshot::new(Arc::clone(self.0.below.state()), self.tools(host))
    }

    /// Pins the tools as they are, so that what a model was told and what runs cannot differ within a turn.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        match &self.0.below.state().shared.settings.extensions {
            Some(host) => self.snapshot_for(host),
            None => self.snapshot_for(&Extensions::default()),
        }
    }

    pub(super) fn snapshot_of(&self, options: &CallOptions) -> Snapshot {
        match &options.extensions {
            Some(host) => self.snapshot_for(host),
            None => self.snapshot(),
        }
    }

    /// The tool called `name`, also when it is switched off.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.snapshot().get(name)
    }

    /// The definitions of the tools that are shown, in the order in which they were registered.
    #[must_use]
    pub fn list(&self) -> Vec<ToolDefinition> {
        self.snapshot().list().to_vec()
    }

    /// The tools that could not be shown, each with the reason; they are named as the registry, or the view below,
    /// names them.
    #[must_use]
    pub fn left_out(&self) -> Vec<Refused> {
        self.snapshot().left_out().to_vec()
    }

    /// What a provider is told about the tools. Made once per provider until the tools change.
    #[must_use]
    pub fn definitions(&self, dialect: &dyn Dialect) -> Arc<Converted> {
        self.snapshot().definitions(dialect)
    }

    /// The generation of the registry below; a condition that changes does not change it.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.0.below.state().tools.load().generation()
    }

    /// Waits for a change of the registry below, as
    /// [`Registry::changed_since`](crate::Registry::changed_since) does.
    pub async fn changed_since(&self, seen: u64) -> u64 {
        self.0.below.state().changed_since(seen).await
    }

    /// Calls a tool with a value.
    pub async fn execute(&self, name: &str, arguments: Value) -> ToolResult {
        self.snapshot().execute(name, arguments).await
    }

    /// Calls a tool with the text that the model sent.
    pub async fn execute_text(&self, name: &str, arguments: &str) -> ToolResult {
        self.snapshot().execute_text(name, arguments).await
    }

    /// Answers one call as `options` say.
    pub async fn execute_call(&self, call: &ToolCall, options: &CallOptions) -> ToolResult {
        self.snapshot_of(options).execute_call(call, options).await
    }

    /// Starts a call on the runtime and returns at once.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn execute_async(&self, call: ToolCall, options: CallOptions) -> CallHandle {
        self.snapshot_of(&options).execute_async(call, options)
    }

    /// Answers the calls of a turn side by side; results come in the order of the calls, one for each.
    pub async fn execute_many(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.snapshot()
            .execute_many(calls, &CallOptions::default())
            .await
    }

    /// Says what would become of these arguments, without running anything.
    #[must_use]
    pub fn validate(&self, name: &str, arguments: &CallArguments) -> Validation {
        self.snapshot().validate(name, arguments)
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.snapshot();
        f.debug_struct("View")
            .field("tools", &tools)
            .finish_non_exhaustive()
    }
}
