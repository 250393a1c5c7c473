//! What a request holds beside the conversation: the tools, the choice, the parallel switch.

use serde_json::{Map, Value, json};
use tool_core::{Loss, LossAction};

use crate::plan::Planned;
use crate::{Provider, ProviderDialect, StrictMode, ToolChoice, anthropic, gemini, ollama, openai};

/// The part of a request that is about tools.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) tools: Value,
    pub(crate) body: Value,
    pub(crate) losses: Vec<Loss>,
}

/// A choice whose names are those on the wire and all there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WireChoice {
    Auto,
    None,
    Required,
    Named(Vec<String>),
}

/// What a provider is to say: which tools, and how they may be called.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) tools: Vec<(String, Value)>,
    pub(crate) choice: WireChoice,
    pub(crate) parallel: Option<bool>,
    pub(crate) losses: Vec<Loss>,
}

/// No tools: most providers refuse an empty list, and a choice without tools.
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
    pub(crate) fn new(dialect: &ProviderDialect, planned: &[Planned]) -> Self {
        if planned.is_empty() {
            return Self::default();
        }
        let mut draft = Draft::new(dialect, planned);
        let provider = dialect.provider();
        if dialect.options().strict == StrictMode::On && !provider.has_strict_tools() {
            draft.degrade("strict", "the provider has no strict tools");
        }
        let extra = match provider {
            Provider::OpenAi => openai::request(&mut draft),
            Provider::Anthropic => anthropic::request(&mut draft),
            Provider::Gemini | Provider::GeminiOpenApi => gemini::request(&mut draft),
            Provider::Ollama => ollama::request(&mut draft),
        };
        let tools: Vec<Value> = draft.tools.into_iter().map(|(_, tool)| tool).collect();
        if tools.is_empty() {
            return Self {
                losses: draft.losses,
                ..Self::default()
            };
        }
        let tools = match provider {
            Provider::Gemini | Provider::GeminiOpenApi => json!([{"functionDeclarations": tools}]),
            _ => Value::Array(tools),
        };
        let mut body = extra;
        body.insert("tools".to_owned(), tools.clone());
        Self {
            tools,
            body: Value::Object(body),
            losses: draft.losses,
        }
    }
}

impl Draft {
    fn new(dialect: &ProviderDialect, planned: &[Planned]) -> Self {
        let mut draft = Self {
            tools: planned
                .iter()
                .map(|tool| (tool.wire.clone(), tool.spoken.tool.clone()))
                .collect(),
            choice: WireChoice::Auto,
            parallel: dialect.options().parallel,
            losses: Vec::new(),
        };
        draft.choice = match &dialect.options().choice {
            ToolChoice::Auto => WireChoice::Auto,
            ToolChoice::None => WireChoice::None,
            ToolChoice::Required => WireChoice::Required,
            ToolChoice::Named(names) => draft.named(names, planned),
        };
        draft
    }

    /// The tools chosen by name; without any that is there, the model decides.
    fn named(&mut self, names: &[String], planned: &[Planned]) -> WireChoice {
        let mut wire = Vec::with_capacity(names.len());
        for name in names {
            match planned.iter().find(|tool| tool.definition.name() == name) {
                Some(tool) if wire.contains(&tool.wire) => {}
                Some(tool) => wire.push(tool.wire.clone()),
                None => self.degrade(
                    "tool_choice",
                    format!("`{name}` is not among the tools, so it cannot be chosen"),
                ),
            }
        }
        if wire.is_empty() {
            WireChoice::Auto
        } else {
            WireChoice::Named(wire)
        }
    }

    /// Sends only the tools that are chosen, for a provider that cannot name them.
    pub(crate) fn keep_only(&mut self, names: &[String]) {
        self.tools.retain(|(wire, _)| names.contains(wire));
    }

    /// Records that the request says less than was asked for.
    pub(crate) fn degrade(&mut self, keyword: &str, detail: impl Into<String>) {
        self.losses
            .push(Loss::new("", "", keyword, LossAction::Degraded, detail));
    }
}

/// An object of one member.
pub(crate) fn member(key: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), value)])
}
