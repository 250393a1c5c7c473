//! Slots that borrow from a [`Value`].

use serde_json::Value;

use super::container::{close, open};
use super::slot::Slot;
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
