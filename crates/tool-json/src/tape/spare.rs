//! Buffers of slots, reused by the next tape of a thread without an allocation.

use std::cell::Cell;

use super::slot::Slot;

/// Maximum capacity that a thread keeps, 24 KB.
const MAX_KEPT: usize = 1024;

thread_local! {
    static SPARE: Cell<Vec<Slot<'static>>> = const { Cell::new(Vec::new()) };
}

/// Returns an empty buffer with a capacity of at least `slots`.
#[inline]
pub(crate) fn buffer_for<'t>(slots: usize) -> Vec<Slot<'t>> {
    let mut buffer = Vec::new();
    reserve(&mut buffer, slots);
    buffer
}

/// Replaces an empty buffer in place by one with a capacity of at least `slots`.
#[inline]
pub(crate) fn reserve(buffer: &mut Vec<Slot<'_>>, slots: usize) {
    // Fails in a terminating thread, which has no buffer.
    let _ = SPARE.try_with(|spare| *buffer = spare.take());
    buffer.reserve(slots);
}

/// Keeps an unused buffer for the next tape.
#[inline]
pub(super) fn keep(mut slots: Vec<Slot<'_>>) {
    // One large document must not keep its memory in every thread.
    if slots.capacity() == 0 || slots.capacity() > MAX_KEPT {
        return;
    }
    slots.clear();
    // Collecting an empty iterator of the same type reuses its buffer and changes the lifetime.
    let buffer = slots.into_iter().map(|_| Slot::Null).collect();
    // Fails in a terminating thread.
    let _ = SPARE.try_with(|spare| spare.set(buffer));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reuses_buffer() {
        let mut first = buffer_for(500);
        first.push(Slot::Owned("text".into()));
        let (address, capacity) = (first.as_ptr().addr(), first.capacity());

        keep(first);
        let second = buffer_for(10);

        // An allocator may return the same address, but not the larger capacity.
        assert_eq!(
            (second.as_ptr().addr(), second.capacity()),
            (address, capacity)
        );
        assert!(second.is_empty());
    }

    #[test]
    fn frees_large_buffers() {
        keep(Vec::with_capacity(MAX_KEPT + 1));

        assert!(buffer_for(0).capacity() <= MAX_KEPT);
    }
}
