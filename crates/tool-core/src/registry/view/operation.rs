//! The steps of a view.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::ViewError;
use super::item::Item;
use super::pattern::NamePattern;
use crate::{Extensions, Presentation, RiskLevel, ToolDefinition};

pub(super) type Filter = dyn Fn(&ToolDefinition) -> bool + Send + Sync;
pub(super) type Condition = dyn Fn(&Extensions) -> bool + Send + Sync;

/// One step of a view. It decides about each tool from that tool alone.
#[derive(Clone)]
pub(super) enum Operation {
    Prefix(String),
    /// From a name to another, all at once.
    Rename(Vec<(String, String)>),
    Only(Vec<NamePattern>),
    Without(Vec<NamePattern>),
    Filter(Arc<Filter>),
    MaxRisk(RiskLevel),
    /// Shown while the condition of this number holds.
    When(NamePattern, usize),
    Describe(NamePattern, String),
    Present(NamePattern, Box<Presentation>),
}

/// Which conditions of a view hold, one bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Conditions(u64);

impl Conditions {
    /// As many as there are bits.
    pub(super) const MOST: usize = 64;
    pub(super) const ALL: Self = Self(u64::MAX);

    /// Asks the host. A condition that panics does not hold.
    pub(super) fn ask(conditions: &[Arc<Condition>], host: &Extensions) -> Self {
        let unmet = conditions
            .iter()
            .enumerate()
            .filter(|(_, holds)| !asked(|| holds(host)));
        // What is not asked holds, so that two views of the world without conditions are equal.
        Self(unmet.fold(u64::MAX, |bits, (number, _)| bits & !(1 << number)))
    }

    fn hold(self, number: usize) -> bool {
        self.0 & (1 << number) != 0
    }
}

/// The answer of the host's own code; a panic is no.
fn asked(question: impl FnOnce() -> bool) -> bool {
    catch_unwind(AssertUnwindSafe(question)).unwrap_or(false)
}

impl Operation {
    /// What becomes of a tool: `None` when it is not shown.
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
                let told = item.redefined(|definition| definition.with_description(text));
                return Ok(Some(told));
            }
            Self::Present(_, presentation) if self.presents(&item) => {
                return Ok(Some(item.presented(presentation)?));
            }
            Self::Describe(..) | Self::Present(..) => true,
            Self::Only(patterns) => patterns.iter().any(|one| one.is_match(item.name())),
            Self::Without(patterns) => !patterns.iter().any(|one| one.is_match(item.name())),
            Self::Filter(filter) => asked(|| filter(item.definition())),
            Self::MaxRisk(most) => item.definition().risk() <= *most,
            Self::When(pattern, number) => {
                !pattern.is_match(item.name()) || conditions.hold(*number)
            }
        };
        Ok(keep.then_some(item))
    }

    /// Whether this step shows the parameters of `item` differently.
    fn presents(&self, item: &Item) -> bool {
        let Self::Present(pattern, presentation) = self else {
            return false;
        };
        if !pattern.is_match(item.name()) {
            return false;
        }
        // A pattern covers the tools that have the parameters; where a tool is named, they must be there.
        let properties = item.definition().input_schema().get("properties");
        let has = |name: &str| properties.and_then(|all| all.get(name)).is_some();
        pattern.as_name().is_some() || presentation.parameters().all(has)
    }

    /// What this step names that `item` is, or has.
    pub(super) fn met_by<'o>(&'o self, item: &Item) -> Option<&'o str> {
        match self {
            Self::Present(pattern, _) if self.presents(item) => Some(pattern.as_str()),
            Self::Present(..) => None,
            _ => self.names().into_iter().find(|name| *name == item.name()),
        }
    }

    /// What must be there for this step to make sense: the names it says, or a pattern whose tools have parameters.
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

    /// What is wrong when nothing met `name`.
    pub(super) fn unmet(&self, name: &str, nearest: Option<&str>) -> ViewError {
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
