//! Slots for a value that somebody else has.

use serde_json::Value;

use super::slot::{Extent, Slot};
use crate::json::parse::Number;

/// Adds the slots of `value`, in which `levels` arrays and objects may stand in each other; `None` where there are more, or
/// more slots than a tape can count.
pub(super) fn lend<'t>(value: &'t Value, levels: usize, slots: &mut Vec<Slot<'t>>) -> Option<()> {
    let place = slots.len();
    let slot = match value {
        Value::Null => Slot::Null,
        Value::Bool(boolean) => Slot::Boolean(*boolean),
        Value::Number(number) => Slot::of_number(Number::of_json(number)),
        Value::String(text) => Slot::Lent(text),
        Value::Array(items) => {
            let levels = levels.checked_sub(1)?;
            slots.push(Slot::Null);
            for item in items {
                lend(item, levels, slots)?;
            }
            return close(slots, place, Slot::Array, items.len());
        }
        Value::Object(members) => {
            let levels = levels.checked_sub(1)?;
            slots.push(Slot::Null);
            for (key, member) in members {
                slots.push(Slot::Lent(key));
                lend(member, levels, slots)?;
            }
            return close(slots, place, Slot::Object, members.len());
        }
    };
    slots.push(slot);
    Some(())
}

fn close<'t>(
    slots: &mut [Slot<'t>],
    place: usize,
    kind: fn(Extent) -> Slot<'t>,
    length: usize,
) -> Option<()> {
    let size = u32::try_from(slots.len() - place).ok()?;
    let length = u32::try_from(length).ok()?;
    *slots.get_mut(place)? = kind(Extent { length, size });
    Some(())
}
