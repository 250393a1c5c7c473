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
    fates: Fates,
}

/// Result of the steps for one tool.
#[derive(Clone)]
enum Fate {
    Hidden,
    Shown { entry: Arc<Entry>, is_renamed: bool },
    LeftOut(ViewError),
}

/// Results by the name below the view.
type Fates = BTreeMap<ToolName, (Arc<Entry>, Fate)>;

/// Names that matched a tool, with the number of the step.
pub(in crate::registry) type Met<'o> = BTreeSet<(usize, &'o str)>;

impl Derived {
    /// Applies the steps to all tools. `before` is an earlier result under the same conditions.
    pub(in crate::registry) fn new<'o>(
        operations: &'o [Operation],
        base: Arc<Tools>,
        conditions: Conditions,
        before: Option<&Self>,
        met: &mut Met<'o>,
    ) -> (Self, Vec<ViewError>) {
        let mut fates = Fates::new();
        for slot in base.ordered() {
            let entry = &slot.entry;
            let known = before.and_then(|before| before.fates.get(entry.name()));
            let fate = match known {
                Some((same, fate)) if Arc::ptr_eq(same, entry) => fate.clone(),
                Some((_, fate)) => fate_of(entry, operations, conditions, Some(fate), met),
                None => fate_of(entry, operations, conditions, None, met),
            };
            fates.insert(entry.name().clone(), (Arc::clone(entry), fate));
        }
        let (table, problems) = settled(base.ordered(), &fates);
        let left_out = base.left_out().iter().cloned();
        let own = problems
            .iter()
            .map(|(tool, error)| RejectedTool::new(tool.as_str(), error.to_string()));
        let tools =
            Tools::new(table, base.generation()).with_left_out(left_out.chain(own).collect());
        let derived = Self {
            base,
            conditions,
            tools: Arc::new(tools),
            fates,
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
fn fate_of<'o>(
    entry: &Arc<Entry>,
    operations: &'o [Operation],
    conditions: Conditions,
    before: Option<&Fate>,
    met: &mut Met<'o>,
) -> Fate {
    let mut item = Item::new(Arc::clone(entry));
    for (number, operation) in operations.iter().enumerate() {
        met.extend(operation.met_by(&item).map(|name| (number, name)));
        item = match operation.apply(item, conditions) {
            Ok(Some(item)) => item,
            Ok(None) => return Fate::Hidden,
            Err(error) => return Fate::LeftOut(error),
        };
    }
    let known = match before {
        Some(Fate::Shown { entry, .. }) => Some(entry.as_ref()),
        _ => None,
    };
    let is_renamed = item.is_renamed();
    match item.entry(known) {
        Ok(entry) => Fate::Shown { entry, is_renamed },
        Err(error) => Fate::LeftOut(error.into()),
    }
}

/// Returns the shown tools with unique names, and the errors of the others by their name below.
fn settled(slots: &[Slot], fates: &Fates) -> (Table, Vec<(ToolName, ViewError)>) {
    let mut problems = Vec::new();
    let holders = holders(slots, fates);
    let mut table = Table::default();
    for slot in slots {
        match fates.get(slot.entry.name()).map(|(_, fate)| fate) {
            Some(Fate::Shown { entry, .. }) => match holders.get(entry.name()) {
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
                        && let Some(shown) = table.get_mut(entry.name().as_str())
                    {
                        shown.enabled = false;
                    }
                }
            },
            Some(Fate::LeftOut(error)) => problems.push((slot.entry.name().clone(), error.clone())),
            Some(Fate::Hidden) | None => {}
        }
    }
    (table, problems)
}

/// Returns the tool of each name: the one that the view renamed to it, else the one that was registered first.
fn holders<'s>(
    slots: &'s [Slot],
    fates: &'s Fates,
) -> BTreeMap<&'s ToolName, (&'s ToolName, bool)> {
    let mut holders = BTreeMap::new();
    for slot in slots {
        let fate = fates.get(slot.entry.name()).map(|(_, fate)| fate);
        if let Some(Fate::Shown { entry, is_renamed }) = fate {
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
pub(in crate::registry) fn unmet(
    operations: &[Operation],
    met: &Met<'_>,
    base: &Tools,
) -> Option<ViewError> {
    operations
        .iter()
        .enumerate()
        .find_map(|(number, operation)| {
            let mut names = operation.names().into_iter();
            let name = names.find(|name| !met.contains(&(number, *name)))?;
            Some(operation.unmet(name, text::nearest(name, base.names())))
        })
}
