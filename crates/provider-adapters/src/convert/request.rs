//! Request members for tools: definitions, tool choice and parallel calls.

use serde_json::{Value, json};
use tool_core::ConversionLoss;

use crate::wire::{Draft, Planned, Strictness, Wire, WireChoice};
use crate::{Options, ProviderDialect, StrictMode, ToolChoice};

/// Request members for tools.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) tools: Value,
    pub(crate) body: Value,
    pub(crate) losses: Vec<ConversionLoss>,
}

/// No tools. Most providers reject an empty list, and a tool choice without tools.
impl Default for Request {
    fn default() -> Self {
        Self {
            tools: json!([]),
            body: json!({}),
            losses: Vec::new(),
        }
    }
}

impl Request {
    /// Creates the members. Moves the converted tools out of `planned`.
    pub(crate) fn new(dialect: &ProviderDialect, planned: &mut [Planned]) -> Self {
        if planned.is_empty() {
            return Self::default();
        }
        let wire = dialect.provider().wire();
        let mut draft = draft_of(dialect, planned);
        record_unsupported(&mut draft, dialect);
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
            return Self {
                losses: draft.losses,
                ..Self::default()
            };
        }
        let (tools, body) = (wire.body)(tools, extra);
        Self {
            tools,
            body: Value::Object(body),
            losses: draft.losses,
        }
    }
}

/// Records a loss for each requested option that the provider does not support.
fn record_unsupported(draft: &mut Draft<'_>, dialect: &ProviderDialect) {
    let (wire, options) = (dialect.provider().wire(), dialect.options());
    for (is_unsupported, keyword, detail) in unsupported(wire, options) {
        if is_unsupported {
            draft.degrade(keyword, detail);
        }
    }
    if options.thinking && !wire.extras.forced_while_thinking {
        draft.reset_forced_choice();
    }
}

/// Whether an option is unsupported, its keyword, and the consequence.
type Unsupported = (bool, &'static str, &'static str);

fn unsupported(wire: &Wire, options: &Options) -> [Unsupported; 3] {
    let extras = wire.extras;
    let strict = options.strict == StrictMode::On && wire.strictness == Strictness::Never;
    [
        (
            strict,
            "strict",
            "the provider does not support strict tools",
        ),
        (
            options.cache && extras.cache.is_none(),
            "cache",
            "the provider does not support cache markers",
        ),
        (
            !options.deferred.is_empty() && !extras.deferred,
            "deferred",
            "the provider does not support deferred tools; all tools are sent",
        ),
    ]
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
            None => draft.degrade(
                "tool_choice",
                format!("the chosen tool `{name}` does not exist"),
            ),
        }
    }
    if wire.is_empty() {
        WireChoice::Auto
    } else {
        WireChoice::Named(wire)
    }
}
