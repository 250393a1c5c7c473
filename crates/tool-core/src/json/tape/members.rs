//! Adding members that were left out, and giving members other names.

#[cfg(feature = "typed")]
use serde_json::Value;

use super::Builder;
use super::node::Node;
#[cfg(feature = "typed")]
use super::slot::Extent;
use super::slot::{Slot, Tape};

/// A member that one object of a tape lacks.
#[derive(Debug, Clone)]
pub(crate) struct Addition<'t> {
    /// The object, as [`Tape::place_of`] gives it.
    pub(crate) object: usize,
    /// The key, which the object does not have.
    pub(crate) key: &'t str,
    /// The value.
    pub(crate) value: Added<'t>,
}

/// The value of a member that is added, from which strings are lent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Added<'t> {
    /// A value that its owner keeps as such.
    #[cfg(feature = "typed")]
    Lent(&'t Value),
    /// A value on a tape of its own, which is only copied.
    Kept(Node<'t>),
}

impl<'t> Tape<'t> {
    /// The place of `node`, one of this tape's own.
    pub(crate) fn place_of(&self, node: Node<'_>) -> usize {
        self.slots.len().saturating_sub(node.0.len())
    }

    /// The same with `additions` at the end of their objects, in one pass whatever their number.
    pub(crate) fn with_members(self, mut additions: Vec<Addition<'t>>) -> Self {
        if additions.iter().all(|addition| addition.object == 0) {
            return self.with_members_of_root(&additions);
        }
        additions.sort_by_key(|addition| addition.object);
        let mut builder = Builder::with_room_for((self.slots.len() + additions.len()) * 8);
        let mut slots = self.slots.into_iter().enumerate();
        copy_value(&mut slots, &additions, &mut builder);
        builder.finish()
    }

    /// The usual case: the members of the root stand at the end already, so nothing is moved.
    fn with_members_of_root(self, additions: &[Addition<'t>]) -> Self {
        let mut builder = Builder::going_on_with(self.slots);
        for addition in additions {
            builder.known_key(Slot::Lent(addition.key));
            add_value(addition.value, &mut builder);
        }
        let mut tape = builder.finish();
        let size = u32::try_from(tape.slots.len()).unwrap_or(u32::MAX);
        if let Some(Slot::Object(extent)) = tape.slots.first_mut() {
            extent.length += u32::try_from(additions.len()).unwrap_or(u32::MAX);
            extent.size = size;
        }
        tape
    }

    /// Gives the member `from` of the object the name `to`, which it does not have yet.
    pub(crate) fn rename_member(&mut self, from: &str, to: &'t str) {
        let mut members = self.root().member_nodes();
        let value = members.find_map(|(key, value)| (key == from).then_some(value));
        let Some(value) = value else { return };
        // The key is the slot before its value.
        let place = self.place_of(value).checked_sub(1);
        if let Some(slot) = place.and_then(|place| self.slots.get_mut(place)) {
            *slot = Slot::Lent(to);
        }
    }

    /// The members of the object under the names that `name` gives them, without those that get none.
    #[cfg(feature = "typed")]
    pub(crate) fn renamed<'s>(&'s self, name: impl Fn(&'s str) -> Option<&'s str>) -> Tape<'s> {
        let mut slots = Vec::with_capacity(self.slots.len());
        let mut extent = Extent { length: 0, size: 1 };
        slots.push(Slot::Object(extent));
        for (key, value) in self.root().member_nodes() {
            let Some(key) = name(key) else { continue };
            slots.push(Slot::Lent(key));
            slots.extend(value.subtree().iter().map(Slot::lend));
            extent.length += 1;
        }
        extent.size = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        if let Some(first) = slots.first_mut() {
            *first = Slot::Object(extent);
        }
        Tape { slots }
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
                builder.known_key(Slot::Lent(addition.key));
                add_value(addition.value, builder);
            }
            builder.close_known_object();
        }
        Some((_, scalar)) => builder.item(scalar),
        None => {}
    }
}

fn add_value<'t>(value: Added<'t>, builder: &mut Builder<'t>) {
    match value {
        #[cfg(feature = "typed")]
        Added::Lent(value) => builder.value(value),
        Added::Kept(node) => builder.copy(node),
    }
}

fn of_object<'a, 't>(additions: &'a [Addition<'t>], place: usize) -> &'a [Addition<'t>] {
    let start = additions.partition_point(|addition| addition.object < place);
    let end = additions.partition_point(|addition| addition.object <= place);
    additions.get(start..end).unwrap_or_default()
}
