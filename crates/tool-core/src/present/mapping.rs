//! Mapping of shown arguments, parameters and errors to the tool's own.

use std::borrow::Cow;

use serde_json::Value;

use super::clamp::Clamp;
use crate::{Arguments, ToolError};

/// Mapping of shown arguments to the tool's own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mapping {
    /// Shown name and own name, if they differ.
    pub(super) renamed: Vec<(String, String)>,
    /// Own name and value of pinned parameters.
    pub(super) pinned: Vec<(String, Value)>,
    /// Own names of hidden parameters.
    pub(super) hidden: Vec<String>,
    pub(super) clamps: Vec<Clamp>,
}

impl Mapping {
    /// Returns the tool's own arguments, borrowed if they equal the shown arguments.
    pub(crate) fn own<'s>(&'s self, shown: &'s Arguments<'_>) -> Cow<'s, Arguments<'s>> {
        let clamped: Vec<(&str, &Value)> = self
            .clamps
            .iter()
            .filter_map(|clamp| Some((clamp.own(), clamp.border(shown)?)))
            .collect();
        if self.renamed.is_empty() && self.hidden.is_empty() && clamped.is_empty() {
            return Cow::Borrowed(shown);
        }
        let pinned = self
            .pinned
            .iter()
            .map(|(name, value)| (name.as_str(), value));
        let is_kept = |own: &&str| clamped.iter().all(|(clamped, _)| clamped != own);
        Cow::Owned(shown.renamed(
            |name| self.own_name(name).filter(is_kept),
            pinned.chain(clamped.iter().copied()),
        ))
    }

    /// Returns the warnings for clamped numbers.
    pub(super) fn warnings(&self, shown: &Arguments<'_>) -> Vec<String> {
        let warning = |clamp: &Clamp| clamp.warning(shown);
        self.clamps.iter().filter_map(warning).collect()
    }

    /// Returns the error with the shown parameter names.
    pub(super) fn error(&self, error: ToolError) -> ToolError {
        let error = self.issues(self.suggestion(error));
        let Some(own) = error.parameter().map(str::to_owned) else {
            return error;
        };
        if self.hidden.contains(&own) {
            return error.with_parameter(None);
        }
        match self.renamed.iter().find(|(_, name)| *name == own) {
            Some((shown, _)) if error.issues().is_empty() => error.with_parameter(Some(shown)),
            _ => error,
        }
    }

    /// Returns the shown name of a parameter; `None` if it is hidden.
    pub(super) fn shown_name<'o>(&'o self, own: &'o str) -> Option<&'o str> {
        let renamed = self.renamed.iter().find(|(_, name)| name == own);
        let is_hidden = self.hidden.iter().any(|hidden| hidden == own);
        renamed
            .map(|(shown, _)| shown.as_str())
            .or((!is_hidden).then_some(own))
    }

    /// Returns the own name of a parameter; `None` for a name that is not shown.
    fn own_name<'s>(&'s self, shown: &'s str) -> Option<&'s str> {
        if let Some((_, own)) = self.renamed.iter().find(|(name, _)| name == shown) {
            return Some(own);
        }
        let is_taken = self.renamed.iter().any(|(_, own)| own == shown);
        let is_hidden = self.hidden.iter().any(|own| own == shown);
        (!is_taken && !is_hidden).then_some(shown)
    }
}
