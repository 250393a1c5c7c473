//! Tools of a request: input and output of a provider's conversion functions.

use std::collections::BTreeMap;

use serde_json::Value;
use tool_core::{ConversionLoss, LossKind, ToolDefinition};

use crate::schema::{Losses, ensure_valid, measure};
use crate::strictness::StrictBudget;
use crate::{Object, Options, StrictMode};

/// Tool as it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) definition: ToolDefinition,
    /// Name on the wire.
    pub(crate) wire: String,
    pub(crate) converted: WireTool,
}

/// Definition converted to the format of a provider.
#[derive(Debug, Clone, Default)]
pub(crate) struct WireTool {
    /// Tool in the provider's format.
    pub(crate) tool: Value,
    /// Whether the tool is strict.
    pub(crate) strict: bool,
    /// Whether optional parameters are sent as required and nullable.
    pub(crate) adds_nulls: bool,
    /// Keys of renamed top-level parameters in the definition, by their key on the wire.
    pub(crate) keys: BTreeMap<String, String>,
}

impl WireTool {
    /// Creates a tool that is not strict and has the keys of its definition.
    pub(crate) fn plain(tool: Object) -> Self {
        Self {
            tool: Value::Object(tool),
            ..Self::default()
        }
    }
}

/// Definition to convert, with the options that apply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceTool<'a> {
    pub(crate) definition: &'a ToolDefinition,
    pub(crate) wire: &'a str,
    pub(crate) strict: StrictMode,
    /// Options of the request.
    pub(crate) options: &'a Options,
    /// Remaining budget after the previous strict tools.
    pub(crate) budget: StrictBudget,
}

impl<'a> SourceTool<'a> {
    /// Returns the output schema if it is valid.
    pub(crate) fn output_schema(&self, losses: &mut Losses) -> Option<&'a Value> {
        let schema = self.definition.output_schema()?;
        match measure(schema).and_then(|()| ensure_valid(schema)) {
            Ok(()) => Some(schema),
            Err(reason) => {
                let detail = format!("output schema: {reason}");
                losses.add("", "output_schema", LossKind::Dropped, detail);
                None
            }
        }
    }

    /// Returns name and description. Omits an empty description.
    pub(crate) fn named(&self) -> Object {
        let mut named = Object::new();
        named.insert("name".to_owned(), self.wire.into());
        if !self.definition.description().is_empty() {
            let description = self.definition.description().into();
            named.insert("description".to_owned(), description);
        }
        named
    }

    /// Returns `true` if the model finds this tool by searching.
    pub(crate) fn is_deferred(&self) -> bool {
        self.options.defers(self.definition)
    }
}

/// Tool choice with wire names of tools that exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WireChoice {
    Auto,
    None,
    Required,
    Named(Vec<String>),
}

/// Tools of a request, and how the model may call them.
#[derive(Debug)]
pub(crate) struct Draft<'o> {
    pub(crate) tools: Vec<(String, Value)>,
    pub(crate) choice: WireChoice,
    pub(crate) parallel: Option<bool>,
    /// Whether any tool is strict.
    pub(crate) has_strict: bool,
    pub(crate) options: &'o Options,
    pub(crate) losses: Vec<ConversionLoss>,
}

impl Draft<'_> {
    /// Keeps only the chosen tools, for providers that cannot name them in a tool choice.
    pub(crate) fn keep_only(&mut self, names: &[String]) {
        self.tools.retain(|(wire, _)| names.contains(wire));
    }

    /// Replaces a forced choice with `auto`, and reduces the tools to the chosen ones.
    pub(crate) fn reset_forced_choice(&mut self, reason: &str) {
        let effect = match std::mem::replace(&mut self.choice, WireChoice::Auto) {
            WireChoice::Required => "`auto` is used",
            WireChoice::Named(names) => {
                self.keep_only(&names);
                "only the chosen tools are sent, and it may call none"
            }
            other => {
                self.choice = other;
                return;
            }
        };
        self.degrade("tool_choice", format!("{reason}; {effect}"));
    }

    /// Reduces the tools to express a choice, for models that do not support a tool choice.
    pub(crate) fn drop_tool_choice(&mut self) {
        let reason = "the model does not support a tool choice";
        self.reset_forced_choice(reason);
        if self.choice == WireChoice::None {
            self.choice = WireChoice::Auto;
            self.tools.clear();
            self.degrade("tool_choice", format!("{reason}; no tools are sent"));
        }
    }

    /// Requires a call and keeps only the chosen tools, for providers that can name at most one
    /// tool.
    pub(crate) fn keep_chosen(&mut self) {
        if let WireChoice::Named(names) = self.choice.clone() {
            self.keep_only(&names);
            self.choice = WireChoice::Required;
        }
    }

    /// Records a loss if parallel calls were disabled but the provider always allows them.
    pub(crate) fn record_parallel_loss(&mut self) {
        if self.parallel == Some(false) {
            let detail = "the provider cannot disable parallel calls";
            self.degrade("parallel_tool_calls", detail);
        }
    }

    /// Records a loss of the request.
    pub(crate) fn degrade(&mut self, keyword: &str, detail: impl Into<String>) {
        let loss = ConversionLoss::new("", "", keyword, LossKind::Degraded, detail);
        self.losses.push(loss);
    }
}

/// Adds the member `key` of `data`, if it has one, to an object.
pub(crate) fn with_member(value: Value, data: Option<&Value>, key: &str) -> Value {
    match (value, data.and_then(|data| data.get(key))) {
        (Value::Object(mut object), Some(member)) => {
            object.insert(key.to_owned(), member.clone());
            object.into()
        }
        (value, _) => value,
    }
}

/// Creates an object with one member.
pub(crate) fn member(key: &str, value: Value) -> Object {
    Object::from_iter([(key.to_owned(), value)])
}
