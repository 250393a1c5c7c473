//! The tools that a view derives from those below at one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ViewError;
use super::item::Item;
use super::operation::{Conditions, Operation};
use crate::catalog::{Entry, Slot, Table, Tools};
use crate::{RejectedTool, ToolName, text};

/// The tools that a view derives from those below at one moment.
pub(in crate::registry) struct Derived {
    base: Arc<Tools>,
    conditions: Conditions,
    tools: Arc<Tools>,
    /// Result for each tool below, reused while the tool stays the same.
    derivations: Derivations,
}

/// Result of the steps for one tool.
#[derive(Clone)]
enum Derivation {
    Hidden,
    Visible { entry: Arc<Entry>, is_renamed: bool },
    Omitted(ViewError),
}

/// Results by the name below the view.
type Derivations = BTreeMap<ToolName, (Arc<Entry>, Derivation)>;

/// Names that matched a tool, with the number of the step.
pub(in crate::registry) type MatchedNames<'o> = BTreeSet<(usize, &'o str)>;

impl Derived {
    /// Applies the steps to all tools. `before` is an earlier result under the same conditions.
    pub(in crate::registry) fn new<'o>(
        operations: &'o [Operation],
        base: Arc<Tools>,
        conditions: Conditions,
        before: Option<&Self>,
        matched: &mut MatchedNames<'o>,
    ) -> (Self, Vec<ViewError>) {
        let mut derivations = Derivations::new();
        for slot in base.ordered() {
            let entry = &slot.entry;
            let known = before.and_then(|before| before.derivations.get(entry.name()));
            let derivation = match known {
                Some((same, derivation)) if Arc::ptr_eq(same, entry) => derivation.clone(),
                _ => {
                    let before = known.map(|(_, derivation)| derivation);
                    derive(entry, operations, conditions, before, matched)
                }
            };
            derivations.insert(entry.name().clone(), (Arc::clone(entry), derivation));
        }
        let (table, problems) = unique_names(base.ordered(), &derivations);
        let omitted = base.omitted().iter().cloned();
        let own = problems
            .iter()
            .map(|(tool, error)| RejectedTool::new(tool.as_str(), error.to_string()));
        let tools = Tools::new(table, base.generation()).with_omitted(omitted.chain(own).collect());
        let derived = Self {
            base,
            conditions,
            tools: Arc::new(tools),
            derivations,
        };
        (
            derived,
            problems.into_iter().map(|(_, error)| error).collect(),
        )
    }

    pub(in crate::registry) fn tools(&self) -> &Arc<Tools> {
        &self.tools
    }

    pub(in crate::registry) fn generation(&self) -> u64 {
        self.base.generation()
    }

    /// Returns `true` if this was derived from `base` under these conditions.
    pub(in crate::registry) fn is_of(&self, base: &Arc<Tools>, conditions: Conditions) -> bool {
        self.is_under(conditions) && Arc::ptr_eq(&self.base, base)
    }

    pub(in crate::registry) fn is_under(&self, conditions: Conditions) -> bool {
        self.conditions == conditions
    }
}

/// Applies the steps to one tool.
fn derive<'o>(
    entry: &Arc<Entry>,
    operations: &'o [Operation],
    conditions: Conditions,
    before: Option<&Derivation>,
    matched: &mut MatchedNames<'o>,
) -> Derivation {
    let mut item = Item::new(Arc::clone(entry));
    for (number, operation) in operations.iter().enumerate() {
        matched.extend(operation.matched_by(&item).map(|name| (number, name)));
        item = match operation.apply(item, conditions) {
            Ok(Some(item)) => item,
            Ok(None) => return Derivation::Hidden,
            Err(error) => return Derivation::Omitted(error),
        };
    }
    let known = match before {
        Some(Derivation::Visible { entry, .. }) => Some(entry.as_ref()),
        _ => None,
    };
    let is_renamed = item.is_renamed();
    match item.entry(known) {
        Ok(entry) => Derivation::Visible { entry, is_renamed },
        Err(error) => Derivation::Omitted(error.into()),
    }
}

/// Returns the shown tools with unique names, and the errors of the others by their name below.
fn unique_names(slots: &[Slot], derivations: &Derivations) -> (Table, Vec<(ToolName, ViewError)>) {
    let mut problems = Vec::new();
    let holders = holders(slots, derivations);
    let mut table = Table::default();
    for slot in slots {
        match derivations
            .get(slot.entry.name())
            .map(|(_, derivation)| derivation)
        {
            Some(Derivation::Visible { entry, .. }) => match holders.get(entry.name()) {
                Some((holder, _)) if *holder != slot.entry.name() => {
                    let error = ViewError::NameCollision {
                        name: entry.name().to_string(),
                        first: holder.to_string(),
                        second: slot.entry.name().to_string(),
                    };
                    problems.push((slot.entry.name().clone(), error));
                }
                _ => {
                    table.push(Arc::clone(entry), None);
                    if !slot.enabled
                        && let Some(visible) = table.get_mut(entry.name().as_str())
                    {
                        visible.enabled = false;
                    }
                }
            },
            Some(Derivation::Omitted(error)) => {
                problems.push((slot.entry.name().clone(), error.clone()));
            }
            Some(Derivation::Hidden) | None => {}
        }
    }
    (table, problems)
}

/// Returns the tool of each name: the one that the view renamed to it, else the one that was registered first.
fn holders<'s>(
    slots: &'s [Slot],
    derivations: &'s Derivations,
) -> BTreeMap<&'s ToolName, (&'s ToolName, bool)> {
    let mut holders = BTreeMap::new();
    for slot in slots {
        let derivation = derivations
            .get(slot.entry.name())
            .map(|(_, derivation)| derivation);
        if let Some(Derivation::Visible { entry, is_renamed }) = derivation {
            let holder = holders
                .entry(entry.name())
                .or_insert((slot.entry.name(), *is_renamed));
            if *is_renamed && !holder.1 {
                *holder = (slot.entry.name(), true);
            }
        }
    }
    holders
}

/// Returns an error for the first name in a step that matched no tool.
pub(in crate::registry) fn unmatched(
    operations: &[Operation],
    matched: &MatchedNames<'_>,
    base: &Tools,
) -> Option<ViewError> {
    operations
        .iter()
        .enumerate()
        .find_map(|(number, operation)| {
            let mut names = operation.names().into_iter();
            let name = names.find(|name| !matched.contains(&(number, *name)))?;
            Some(operation.unmatched(name, text::nearest(name, base.names())))
        })
}
