//! Adding members that were left out, for defaults.

use std::borrow::Cow;

use serde_json::Value;

use super::Builder;
use super::node::Node;
use super::slot::{Slot, Tape};

/// A member that one object of a tape lacks.
#[derive(Debug, Clone)]
pub(in crate::arguments) struct Addition<'t> {
    /// The object, as [`Tape::place_of`] gives it.
    pub(in crate::arguments) object: usize,
    /// The key, which the object does not have.
    pub(in crate::arguments) key: &'t str,
    /// The value, from which strings are lent.
    pub(in crate::arguments) value: &'t Value,
}

impl<'t> Tape<'t> {
    /// The place of `node`, one of this tape's own.
    pub(in crate::arguments) fn place_of(&self, node: Node<'_>) -> usize {
        self.slots.len().saturating_sub(node.0.len())
    }

    /// The same with `additions` at the end of their objects, in one pass whatever their number.
    pub(in crate::arguments) fn with_members(self, mut additions: Vec<Addition<'t>>) -> Self {
        if additions.is_empty() {
            return self;
        }
        additions.sort_by_key(|addition| addition.object);
        let mut builder = Builder::with_room_for((self.slots.len() + additions.len()) * 8);
        let mut slots = self.slots.into_iter().enumerate();
        copy_value(&mut slots, &additions, &mut builder);
        builder.finish()
    }
}

type Slots<'t> = std::iter::Enumerate<std::vec::IntoIter<Slot<'t>>>;

/// Copies one value; its depth is that of the text, which has a limit.
fn copy_value<'t>(slots: &mut Slots<'t>, additions: &[Addition<'t>], builder: &mut Builder<'t>) {
    match slots.next() {
        Some((_, Slot::Array(extent))) => {
            builder.open();
            for _ in 0..extent.length {
                copy_value(slots, additions, builder);
            }
            builder.close_array();
        }
        Some((place, Slot::Object(extent))) => {
            builder.open();
            for _ in 0..extent.length {
                if let Some((_, key)) = slots.next() {
                    builder.known_key(key);
                }
                copy_value(slots, additions, builder);
            }
            for addition in of_object(additions, place) {
                builder.known_key(Slot::of_text(Cow::Borrowed(addition.key)));
                builder.value(addition.value);
            }
            builder.close_known_object();
        }
        Some((_, scalar)) => builder.item(scalar),
        None => {}
    }
}

fn of_object<'a, 't>(additions: &'a [Addition<'t>], place: usize) -> &'a [Addition<'t>] {
    let start = additions.partition_point(|addition| addition.object < place);
    let end = additions.partition_point(|addition| addition.object <= place);
    additions.get(start..end).unwrap_or_default()
}
