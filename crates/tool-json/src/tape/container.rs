//! Arrays and objects of a tape that is being built.

use std::iter;

use super::slot::{Extent, Slot};

/// Adds the slot of a container, which [`close`] completes. Returns its position.
#[inline]
pub(crate) fn open(slots: &mut Vec<Slot<'_>>) -> usize {
    slots.push(Slot::Null);
    slots.len() - 1
}

/// Completes the container at `position`. Returns `None` if it has more slots than a tape can count.
#[inline]
pub(crate) fn close<'t>(
    slots: &mut [Slot<'t>],
    position: usize,
    kind: fn(Extent) -> Slot<'t>,
    length: u32,
) -> Option<()> {
    let size = u32::try_from(slots.len() - position).ok()?;
    *slots.get_mut(position)? = kind(Extent { length, size });
    Some(())
}

/// Returns the keys of the open object at `position`.
pub(crate) fn keys<'s>(slots: &'s [Slot<'_>], position: usize) -> impl Iterator<Item = &'s str> {
    let mut at = position + 1;
    iter::from_fn(move || {
        let key = slots.get(at)?.as_str()?;
        at += 1 + slots.get(at + 1).map_or(1, Slot::size);
        Some(key)
    })
}
