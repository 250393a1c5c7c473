//! Tool-related members of a request.

use serde_json::Value;
use tool_core::{ConversionLoss, LossKind};

use crate::{Object, Options};

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

    /// Replaces a forced choice with `auto`, for providers that allow none while the model thinks.
    pub(crate) fn reset_forced_choice(&mut self) {
        if matches!(self.choice, WireChoice::Required | WireChoice::Named(_)) {
            self.choice = WireChoice::Auto;
            let detail = "the provider does not support a forced tool choice while the model thinks; `auto` is used";
            self.degrade("tool_choice", detail);
        }
    }

    /// Reduces the tools to express a choice, for models that do not support a tool choice.
    pub(crate) fn drop_tool_choice(&mut self) {
        let detail = match std::mem::replace(&mut self.choice, WireChoice::Auto) {
            WireChoice::Auto => return,
            WireChoice::None => {
                self.tools.clear();
                "the model does not support a tool choice; no tools are sent"
            }
            WireChoice::Required => "the model does not support a tool choice; `auto` is used",
            WireChoice::Named(names) => {
                self.keep_only(&names);
                "the model does not support a tool choice; only the chosen tools are sent, and it may call none"
            }
        };
        self.degrade("tool_choice", detail);
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

/// Creates an object with one member.
pub(crate) fn member(key: &str, value: Value) -> Object {
    Object::from_iter([(key.to_owned(), value)])
}
