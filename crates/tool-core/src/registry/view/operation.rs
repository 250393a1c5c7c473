//! Steps of a view.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::ViewError;
use super::item::Item;
use super::pattern::NamePattern;
use crate::{Extensions, Presentation, RiskLevel, ToolDefinition};

pub(super) type Filter = dyn Fn(&ToolDefinition) -> bool + Send + Sync;
pub(in crate::registry) type Condition = dyn Fn(&Extensions) -> bool + Send + Sync;

/// One step of a view, applied to each tool separately.
pub(in crate::registry) enum Operation {
    Prefix(String),
    /// Pairs of old and new names, applied in one step.
    Rename(Vec<(String, String)>),
    Only(Vec<NamePattern>),
    Without(Vec<NamePattern>),
    Filter(Arc<Filter>),
    MaxRisk(RiskLevel),
    /// Shown if the condition of this number is satisfied.
    When(NamePattern, usize),
    Describe(NamePattern, String),
    Present(NamePattern, Box<Presentation>),
}

/// The satisfied conditions of a view, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::registry) struct Conditions(u64);

impl Conditions {
    /// Maximum number of conditions.
    pub(super) const MAX: usize = 64;
    pub(in crate::registry) const ALL: Self = Self(u64::MAX);

    /// Evaluates the conditions. One that panics is not satisfied.
    pub(in crate::registry) fn evaluate(conditions: &[Arc<Condition>], host: &Extensions) -> Self {
        let unmatched = conditions
            .iter()
            .enumerate()
            .filter(|(_, condition)| !holds(|| condition(host)));
        // Unused bits are set, so that the value equals `ALL` without conditions.
        Self(unmatched.fold(u64::MAX, |bits, (number, _)| bits & !(1 << number)))
    }

    fn contains(self, number: usize) -> bool {
        self.0 & (1 << number) != 0
    }
}

/// Runs a predicate of the host. A panic is `false`.
fn holds(predicate: impl FnOnce() -> bool) -> bool {
    catch_unwind(AssertUnwindSafe(predicate)).unwrap_or(false)
}

impl Operation {
    /// Applies the step to a tool. Returns `None` if the tool is not shown.
    pub(super) fn apply(
        &self,
        item: Item,
        conditions: Conditions,
    ) -> Result<Option<Item>, ViewError> {
        let keep = match self {
            Self::Prefix(prefix) => return Ok(Some(item.prefixed(prefix))),
            Self::Rename(table) => {
                let new = table.iter().find(|(from, _)| from == item.name());
                return Ok(Some(match new {
                    Some((_, to)) => item.renamed(to),
                    None => item,
                }));
            }
            Self::Describe(pattern, text) if pattern.is_match(item.name()) => {
                return Ok(Some(
                    item.redefined(|definition| definition.with_description(text)),
                ));
            }
            Self::Present(_, presentation) if self.presents(&item) => {
                return Ok(Some(item.presented(presentation)?));
            }
            Self::Describe(..) | Self::Present(..) => true,
            Self::Only(patterns) => patterns.iter().any(|one| one.is_match(item.name())),
            Self::Without(patterns) => !patterns.iter().any(|one| one.is_match(item.name())),
            Self::Filter(filter) => holds(|| filter(item.definition())),
            Self::MaxRisk(most) => item.definition().risk() <= *most,
            Self::When(pattern, number) => {
                !pattern.is_match(item.name()) || conditions.contains(*number)
            }
        };
        Ok(keep.then_some(item))
    }

    /// Returns `true` if the step changes the parameters of `item`.
    fn presents(&self, item: &Item) -> bool {
        let Self::Present(pattern, presentation) = self else {
            return false;
        };
        if !pattern.is_match(item.name()) {
            return false;
        }
        // A pattern covers the tools with these parameters; a named tool must have them.
        let properties = item.definition().input_schema().get("properties");
        let has = |name: &str| properties.and_then(|all| all.get(name)).is_some();
        pattern.as_name().is_some() || presentation.parameters().all(has)
    }

    /// Returns the name in this step that refers to `item`.
    pub(super) fn matched_by<'o>(&'o self, item: &Item) -> Option<&'o str> {
        match self {
            Self::Present(pattern, _) if self.presents(item) => Some(pattern.as_str()),
            Self::Present(..) => None,
            _ => self.names().into_iter().find(|name| *name == item.name()),
        }
    }

    /// Returns the names that must exist, or a pattern that must cover a tool with the parameters.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Rename(table) => table.iter().map(|(from, _)| from.as_str()).collect(),
            Self::Only(patterns) | Self::Without(patterns) => {
                patterns.iter().filter_map(NamePattern::as_name).collect()
            }
            Self::When(pattern, _) | Self::Describe(pattern, _) => {
                pattern.as_name().into_iter().collect()
            }
            Self::Present(pattern, _) => vec![pattern.as_str()],
            Self::Prefix(_) | Self::Filter(_) | Self::MaxRisk(_) => Vec::new(),
        }
    }

    /// Returns the error if no tool matched `name`.
    pub(super) fn unmatched(&self, name: &str, nearest: Option<&str>) -> ViewError {
        if let Self::Present(pattern, presentation) = self
            && pattern.as_name().is_none()
        {
            return ViewError::UnknownParameter {
                pattern: name.to_owned(),
                parameter: presentation.parameters().collect::<Vec<_>>().join("`, `"),
            };
        }
        ViewError::UnknownTool {
            name: name.to_owned(),
            nearest: nearest.map(str::to_owned),
        }
    }
}
