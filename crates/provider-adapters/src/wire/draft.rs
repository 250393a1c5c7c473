//! What a request is to say about its tools.

use serde_json::{Map, Value};
use tool_core::{ConversionLoss, LossKind};

use crate::{ModelTraits, StrictMode};

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
    pub(crate) losses: Vec<ConversionLoss>,
}

impl Draft {
    /// Sends only the tools that are chosen, for a provider that cannot name them.
    pub(crate) fn keep_only(&mut self, names: &[String]) {
        self.tools.retain(|(wire, _)| names.contains(wire));
    }

    /// Lets the model decide where it was to be forced, for a provider that forces no model that thinks.
    pub(crate) fn leave_choice(&mut self) {
        if matches!(self.choice, WireChoice::Required | WireChoice::Named(_)) {
            self.choice = WireChoice::Auto;
            self.degrade(
                "tool_choice",
                "the provider takes no forced choice while the model thinks, so that the model decides",
            );
        }
    }

    /// Says by the tools that are sent what a model that takes no choice can be told.
    pub(crate) fn do_without_choice(&mut self) {
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
        self.losses.push(ConversionLoss::new(
            "",
            "",
            keyword,
            LossKind::Degraded,
            detail,
        ));
    }
}

/// An object of one member.
pub(crate) fn member(key: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), value)])
}
