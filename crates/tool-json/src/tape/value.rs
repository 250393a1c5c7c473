//! Slots that borrow from a [`Value`]: a whole document, or members added to one.

use serde_json::Value;

use super::Tape;
use super::json_ref::JsonRef;
use super::slot::{Slot, buffer_for, close, open};
use crate::number::Number;

/// Adds the slots of `value`. Returns `None` if it has more than `levels` levels or more slots than a tape can count.
pub(super) fn push_value<'t>(
    value: &'t Value,
    levels: usize,
    slots: &mut Vec<Slot<'t>>,
) -> Option<()> {
    let slot = match value {
        Value::Null => Slot::Null,
        Value::Bool(boolean) => Slot::Boolean(*boolean),
        Value::Number(number) => Slot::of_number(Number::of_json(number)),
        Value::String(text) => Slot::Borrowed(text),
        Value::Array(items) => {
            let levels = levels.checked_sub(1)?;
            let position = open(slots);
            for item in items {
                push_value(item, levels, slots)?;
            }
            let length = u32::try_from(items.len()).ok()?;
            return close(slots, position, Slot::Array, length);
        }
        Value::Object(members) => {
            let levels = levels.checked_sub(1)?;
            let position = open(slots);
            for (key, member) in members {
                slots.push(Slot::Borrowed(key));
                push_value(member, levels, slots)?;
            }
            let length = u32::try_from(members.len()).ok()?;
            return close(slots, position, Slot::Object, length);
        }
    };
    slots.push(slot);
    Some(())
}

/// A member to add to an object of a tape.
#[derive(Debug, Clone)]
pub struct Addition<'t> {
    /// The object, as returned by [`Tape::position`].
    pub object: usize,
    /// Key, which the object must not have.
    pub key: &'t str,
    /// Value.
    pub value: &'t Value,
}

impl<'t> Tape<'t> {
    /// Returns the position of `value`, which must belong to this tape.
    #[doc(hidden)]
    pub fn position(&self, value: JsonRef<'_>) -> usize {
        self.slots.len().saturating_sub(value.rest().len())
    }

    /// Appends members to objects in one pass.
    #[doc(hidden)]
    #[must_use]
    pub fn with_members(self, mut additions: Vec<Addition<'t>>) -> Self {
        additions.sort_by_key(|addition| addition.object);
        let mut copy = buffer_for(self.slots.len() + additions.len());
        let mut slots = self.slots.into_iter().enumerate();
        copy_value(&mut slots, &additions, &mut copy);
        Self { slots: copy }
    }

    /// Renames the member `from` of the object at `object`, as returned by [`Tape::position`], to `to`, which the object
    /// must not have.
    #[doc(hidden)]
    pub fn rename_member(&mut self, object: usize, from: &str, to: &'t str) {
        let mut members = self.at(object).members();
        let value = members.find_map(|(key, value)| (key == from).then_some(value));
        let Some(value) = value else { return };
        // The key is in the slot before its value.
        let place = self.position(value).checked_sub(1);
        if let Some(slot) = place.and_then(|place| self.slots.get_mut(place)) {
            *slot = Slot::Borrowed(to);
        }
    }
}

type Slots<'t> = std::iter::Enumerate<std::vec::IntoIter<Slot<'t>>>;

/// Copies one value; the parser limits its depth.
fn copy_value<'t>(
    slots: &mut Slots<'t>,
    additions: &[Addition<'t>],
    copy: &mut Vec<Slot<'t>>,
) -> Option<()> {
    match slots.next()? {
        (_, Slot::Array(extent)) => {
            let start = open(copy);
            for _ in 0..extent.length {
                copy_value(slots, additions, copy)?;
            }
            close(copy, start, Slot::Array, extent.length)
        }
        (position, Slot::Object(extent)) => {
            let start = open(copy);
            for _ in 0..extent.length {
                copy.push(slots.next()?.1);
                copy_value(slots, additions, copy)?;
            }
            let added = of_object(additions, position);
            add_members(added, copy);
            close(copy, start, Slot::Object, extent.length + count(added))
        }
        (_, scalar) => {
            copy.push(scalar);
            Some(())
        }
    }
}

fn add_members<'t>(additions: &[Addition<'t>], slots: &mut Vec<Slot<'t>>) {
    for addition in additions {
        slots.push(Slot::Borrowed(addition.key));
        // A value with more slots than a tape can count does not fit into memory.
        let _ = push_value(addition.value, usize::MAX, slots);
    }
}

fn count(additions: &[Addition<'_>]) -> u32 {
    u32::try_from(additions.len()).unwrap_or(u32::MAX)
}

fn of_object<'a, 't>(additions: &'a [Addition<'t>], object: usize) -> &'a [Addition<'t>] {
    // They are sorted by object, so those of one object are adjacent.
    let start = additions.partition_point(|addition| addition.object < object);
    let end = additions.partition_point(|addition| addition.object <= object);
    additions.get(start..end).unwrap_or_default()
}
