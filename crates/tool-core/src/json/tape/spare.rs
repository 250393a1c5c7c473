//! Room for slots, kept from one tape to the next: most calls need not ask the allocator for it.

use std::cell::Cell;

use super::slot::Slot;

/// The most slots that a thread keeps room for; 24 KB.
const MOST_KEPT: usize = 1024;

thread_local! {
    static SPARE: Cell<Vec<Slot<'static>>> = const { Cell::new(Vec::new()) };
}

/// An empty vector with room for so many slots.
#[inline]
pub(super) fn room_for<'t>(slots: usize) -> Vec<Slot<'t>> {
    let mut room = Vec::new();
    make_room(&mut room, slots);
    room
}

/// Gives room for so many slots to a vector without any, where it stands.
#[inline]
pub(super) fn make_room(room: &mut Vec<Slot<'_>>, slots: usize) {
    // A thread that ends has nothing to give.
    let _ = SPARE.try_with(|spare| *room = spare.take());
    room.reserve(slots);
}

/// Keeps the room of slots that nobody needs any more.
#[inline]
pub(super) fn keep(mut slots: Vec<Slot<'_>>) {
    if slots.capacity() == 0 || slots.capacity() > MOST_KEPT {
        return;
    }
    slots.clear();
    // Nothing is left whose lifetime could matter, and the library takes the room over without a copy.
    let room = slots.into_iter().map(|_| Slot::Null).collect();
    // A thread that ends keeps nothing.
    let _ = SPARE.try_with(|spare| spare.set(room));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_used_again() {
        let mut first = room_for(500);
        first.push(Slot::Owned("text".into()));
        let (place, room) = (first.as_ptr().addr(), first.capacity());

        keep(first);
        let second = room_for(10);

        // An allocator may give the place again by itself, but with no more room than was asked for.
        assert_eq!((second.as_ptr().addr(), second.capacity()), (place, room));
        assert!(second.is_empty());
    }

    #[test]
    fn more_room_than_most_calls_need_is_given_back() {
        keep(Vec::with_capacity(MOST_KEPT + 1));

        assert!(room_for(0).capacity() <= MOST_KEPT);
    }
}
