//! What a view makes of the tools below it at one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ViewError;
use super::item::Item;
use super::operation::{Conditions, Operation};
use crate::catalog::{Entry, Slot, Table, Tools};
use crate::{Refused, ToolName, text};

/// What a view makes of the tools below it at one moment.
pub(super) struct Derived {
    base: Arc<Tools>,
    conditions: Conditions,
    tools: Arc<Tools>,
    /// What became of each tool below, to be used again while the tool stays the same.
    fates: Fates,
}

/// What became of one tool.
#[derive(Clone)]
enum Fate {
    Hidden,
    Shown { entry: Arc<Entry>, is_renamed: bool },
    LeftOut(ViewError),
}

/// What became of each tool, by its name below the view.
type Fates = BTreeMap<ToolName, (Arc<Entry>, Fate)>;

/// What the steps of a view met on their way, by the number of the step.
pub(super) type Met<'o> = BTreeSet<(usize, &'o str)>;

impl Derived {
    /// Runs the steps over all tools. `before` is an earlier outcome under the same conditions.
    pub(super) fn new<'o>(
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
            .map(|(tool, error)| Refused::new(tool.as_str(), error.to_string()));
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

    pub(super) fn tools(&self) -> &Arc<Tools> {
        &self.tools
    }

    pub(super) fn generation(&self) -> u64 {
        self.base.generation()
    }

    /// Whether this is what comes of `base` under these conditions.
    pub(super) fn is_of(&self, base: &Arc<Tools>, conditions: Conditions) -> bool {
        self.is_under(conditions) && Arc::ptr_eq(&self.base, base)
    }

    pub(super) fn is_under(&self, conditions: Conditions) -> bool {
        self.conditions == conditions
    }
}

/// Runs the steps over one tool.
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

/// The tools that are shown, each name once, and why others are not, by the name below.
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

/// Who has each name: a tool that was given it by the host, else the one that was registered first.
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

/// The first thing that a step names and no tool met.
pub(super) fn unmet(operations: &[Operation], met: &Met<'_>, base: &Tools) -> Option<ViewError> {
    operations
        .iter()
        .enumerate()
        .find_map(|(number, operation)| {
            let mut names = operation.names().into_iter();
            let name = names.find(|name| !met.contains(&(number, *name)))?;
            Some(operation.unmet(name, text::nearest(name, base.names())))
        })
}
