//! Request members for tools: definitions, tool choice and parallel calls.

use serde_json::{Value, json};
use tool_core::ConversionLoss;

use crate::wire::{Draft, Planned, Strictness, WireChoice};
use crate::{ProviderDialect, StrictMode, ToolChoice};

/// Request members for tools.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) tools: Value,
    pub(crate) body: Value,
    pub(crate) losses: Vec<ConversionLoss>,
}

impl Request {
    /// Creates a request without tools and without a tool choice, which most providers reject then.
    fn empty(losses: Vec<ConversionLoss>) -> Self {
        Self {
            tools: json!([]),
            body: json!({}),
            losses,
        }
    }

    /// Creates the members. Moves the converted tools out of `planned`.
    pub(crate) fn new(dialect: &ProviderDialect, planned: &mut [Planned]) -> Self {
        if planned.is_empty() {
            return Self::empty(Vec::new());
        }
        let wire = dialect.provider().wire();
        let mut draft = draft_of(dialect, planned);
        record_unsupported(&mut draft, dialect);
        if let Some(search) = wire
            .extras
            .search
            .filter(|_| has_deferred(dialect, planned))
        {
            // First, so that the cached beginning of a request stays the same if tools are added.
            draft.tools.insert(0, (String::new(), search()));
        }
        if draft.options.model.without_tool_choice {
            draft.drop_tool_choice();
        }
        let mut extra = (wire.request)(&mut draft);
        if draft.options.model.without_tool_choice {
            extra.retain(|key, _| !matches!(key.as_str(), "tool_choice" | "toolChoice"));
        }
        let tools: Vec<Value> = draft.tools.into_iter().map(|(_, tool)| tool).collect();
        // The choice may have removed all tools, and most providers reject an empty list.
        if tools.is_empty() {
            return Self::empty(draft.losses);
        }
        let (tools, body) = (wire.body)(tools, extra);
        Self {
            tools,
            body: Value::Object(body),
            losses: draft.losses,
        }
    }
}

fn has_deferred(dialect: &ProviderDialect, planned: &[Planned]) -> bool {
    let mut tools = planned.iter().map(|tool| &tool.definition);
    tools.any(|definition| dialect.options().defers(definition))
}

/// Records a loss for each requested option that the provider does not support.
fn record_unsupported(draft: &mut Draft<'_>, dialect: &ProviderDialect) {
    let (wire, options) = (dialect.provider().wire(), dialect.options());
    if options.strict == StrictMode::On && wire.strictness == Strictness::Never {
        draft.degrade("strict", "the provider does not support strict tools");
    }
    if options.cache && wire.extras.cache.is_none() {
        draft.degrade("cache", "the provider does not support cache markers");
    }
    if !options.deferred.is_empty() && wire.extras.search.is_none() {
        let detail = "the provider does not support deferred tools; all tools are sent";
        draft.degrade("deferred", detail);
    }
    if options.model.without_forced_choice {
        draft.reset_forced_choice("the model does not support a forced tool choice");
    }
}

fn draft_of<'o>(dialect: &'o ProviderDialect, planned: &mut [Planned]) -> Draft<'o> {
    let mut draft = Draft {
        tools: planned
            .iter_mut()
            .map(|tool| (tool.wire.clone(), std::mem::take(&mut tool.converted.tool)))
            .collect(),
        choice: WireChoice::Auto,
        parallel: dialect.options().parallel,
        has_strict: planned.iter().any(|tool| tool.converted.strict),
        options: dialect.options(),
        losses: Vec::new(),
    };
    draft.choice = match &dialect.options().choice {
        ToolChoice::Auto => WireChoice::Auto,
        ToolChoice::None => WireChoice::None,
        ToolChoice::Required => WireChoice::Required,
        ToolChoice::Named(names) => named(&mut draft, names, planned),
    };
    draft
}

/// Returns the tools chosen by name. If none of them exists, returns `Auto`.
fn named(draft: &mut Draft<'_>, names: &[String], planned: &[Planned]) -> WireChoice {
    let mut wire = Vec::with_capacity(names.len());
    for name in names {
        match planned.iter().find(|tool| tool.definition.name() == name) {
            Some(tool) if wire.contains(&tool.wire) => {}
            Some(tool) => wire.push(tool.wire.clone()),
            None => {
                let detail = format!("the chosen tool `{name}` does not exist");
                draft.degrade("tool_choice", detail);
            }
        }
    }
    if wire.is_empty() {
        WireChoice::Auto
    } else {
        WireChoice::Named(wire)
    }
}
