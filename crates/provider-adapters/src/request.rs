//! What a request holds beside the conversation: the tools, the choice, the parallel switch.

use serde_json::{Map, Value, json};
use tool_core::{Loss, LossAction};

use crate::plan::Planned;
use crate::wire::{Extras, Strictness, Wire};
use crate::{ModelTraits, Options, ProviderDialect, StrictMode, ToolChoice};

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
    /// How strictly the tools were asked for.
    pub(crate) strict: StrictMode,
    /// Whether any tool is sent strict.
    pub(crate) has_strict: bool,
    /// Whether the tools are to be marked for the cache.
    pub(crate) cache: bool,
    /// Whether calls are to come back that the provider found wrong.
    pub(crate) unchecked_calls: bool,
    /// What the model takes.
    pub(crate) model: ModelTraits,
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
    /// The tools are taken out of the plan.
    pub(crate) fn new(dialect: &ProviderDialect, planned: &mut [Planned]) -> Self {
        if planned.is_empty() {
            return Self::default();
        }
        let wire = dialect.provider().wire();
        let mut draft = Draft::new(dialect, planned);
        report_unavailable(&mut draft, dialect, planned);
        if draft.model.without_tool_choice {
            draft.do_without_choice();
        }
        let mut extra = (wire.request)(&mut draft);
        if draft.model.without_tool_choice {
            extra.retain(|key, _| !matches!(key.as_str(), "tool_choice" | "toolChoice"));
        }
        let tools: Vec<Value> = draft.tools.into_iter().map(|(_, tool)| tool).collect();
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

/// Records what was asked for and the provider does not have.
fn report_unavailable(draft: &mut Draft, dialect: &ProviderDialect, planned: &[Planned]) {
    let (wire, options) = (dialect.provider().wire(), dialect.options());
    let of_request = of_request_without(wire, options);
    let of_tools = of_tools_without(wire.extras, options, planned);
    for (missing, keyword, detail) in of_request.into_iter().chain(of_tools) {
        if missing {
            draft.degrade(keyword, detail);
        }
    }
    if options.thinking && !wire.extras.forced_while_thinking {
        draft.leave_choice();
    }
}

/// Whether something is missing, its keyword, and what is so without it.
type Missing = (bool, &'static str, &'static str);

fn of_request_without(wire: &Wire, options: &Options) -> [Missing; 3] {
    let strict = options.strict == StrictMode::On && wire.strictness == Strictness::Never;
    [
        (strict, "strict", "the provider has no strict tools"),
        (
            options.cache && !wire.extras.cache,
            "cache",
            "the provider takes no mark for its cache",
        ),
        (
            options.eager_input && !wire.extras.eager_input,
            "eager_input",
            "the provider itself decides when it streams arguments",
        ),
    ]
}

fn of_tools_without(extras: Extras, options: &Options, planned: &[Planned]) -> [Missing; 4] {
    let has_output = |tool: &Planned| tool.definition.output_schema().is_some();
    let outputs = options.output_schemas && planned.iter().any(has_output);
    let has_others = |callers: &Vec<String>| callers.iter().any(|caller| caller != "direct");
    let others = options.allowed_callers.values().any(has_others);
    [
        (
            !options.deferred.is_empty() && !extras.deferred,
            "deferred",
            "the provider is told of every tool at once",
        ),
        (
            !options.non_blocking.is_empty() && !extras.non_blocking,
            "non_blocking",
            "the model waits for the answer of every tool",
        ),
        (
            others && !extras.callers,
            "allowed_callers",
            "only the model itself calls tools of the provider",
        ),
        (
            outputs && !extras.output_schemas,
            "output_schema",
            "the provider is not told what tools answer",
        ),
    ]
}

impl Draft {
    fn new(dialect: &ProviderDialect, planned: &mut [Planned]) -> Self {
        let mut draft = Self {
            tools: planned
                .iter_mut()
                .map(|tool| (tool.wire.clone(), std::mem::take(&mut tool.spoken.tool)))
                .collect(),
            choice: WireChoice::Auto,
            parallel: dialect.options().parallel,
            strict: dialect.options().strict,
            has_strict: planned.iter().any(|tool| tool.spoken.strict),
            cache: dialect.options().cache,
            unchecked_calls: dialect.options().unchecked_calls,
            model: dialect.options().model.clone(),
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

    /// Lets the model decide where it was to be forced, for a provider that forces no model that thinks.
    fn leave_choice(&mut self) {
        if matches!(self.choice, WireChoice::Required | WireChoice::Named(_)) {
            self.choice = WireChoice::Auto;
            self.degrade(
                "tool_choice",
                "the provider takes no forced choice while the model thinks, so that the model decides",
            );
        }
    }

    /// Says by the tools that are sent what a model that takes no choice can be told.
    fn do_without_choice(&mut self) {
        let detail = match std::mem::replace(&mut self.choice, WireChoice::Auto) {
            WireChoice::Auto => return,
            WireChoice::None => {
                self.tools.clear();
                "no tools are sent, because the model takes no choice that forbids them"
            }
            WireChoice::Required => "the model takes no tool choice, so that it decides",
            WireChoice::Named(names) => {
                self.keep_only(&names);
                "the model takes no tool choice: only the chosen tools are sent, and it may still call none"
            }
        };
        self.degrade("tool_choice", detail);
    }

    /// Makes a call a must, for a provider that can name one tool at most: the others are not sent.
    pub(crate) fn keep_chosen(&mut self) {
        if let WireChoice::Named(names) = self.choice.clone() {
            self.keep_only(&names);
            self.choice = WireChoice::Required;
        }
    }

    /// Records that several calls at once cannot be ruled out.
    pub(crate) fn lose_parallel(&mut self) {
        if self.parallel == Some(false) {
            self.degrade(
                "parallel_tool_calls",
                "the provider cannot be told to ask for one call at a time",
            );
        }
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
