//! A JSON document in one vector of slots, with strings borrowed from the text.
//!
//! Slots have the order of the text. The slot of an array or object contains the number of slots of its subtree, so readers can
//! skip it. A member is the slot of its key and the subtree of its value.

mod json_ref;
mod slot;
mod value;

use serde_json::Value;

use super::error::{ParseError, ParseErrorKind, ParseLimits};

pub use json_ref::{Items, JsonRef, JsonView, Members};
use slot::keep;
pub(crate) use slot::{Extent, Slot, buffer_for, close, keys, open, reserve};
pub use value::Addition;
use value::push_value;

/// A parsed JSON document that borrows from its source.
///
/// It's one vector for all levels of the document, so a tool call costs one allocation instead
/// of one per value. The default is null.
///
/// # Examples
/// ```
/// use serde_json::json;
///
/// let tape = tool_json::parse(r#"{"path": "src", "limit": 5}"#)?;
/// assert_eq!(tape.root().get("path").and_then(|path| path.as_str()), Some("src"));
/// assert_eq!(tape.to_value(), json!({"path": "src", "limit": 5}));
/// # Ok::<_, tool_json::ParseError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Tape<'t> {
    pub(crate) slots: Vec<Slot<'t>>,
}

impl<'t> Tape<'t> {
    /// Creates a tape that borrows from `value`. Whole floats up to 2^53 become integers, as in text.
    ///
    /// # Errors
    /// Returns [`ParseErrorKind::TooDeep`] if `value` has more levels than `limits` allow. The other limits do not apply.
    pub fn from_value(value: &'t Value, limits: &ParseLimits) -> Result<Self, ParseError> {
        let tape = Self::with_levels(value, limits.max_depth);
        tape.ok_or_else(|| ParseErrorKind::TooDeep(limits.max_depth).into())
    }

    fn with_levels(value: &'t Value, levels: usize) -> Option<Self> {
        let mut slots = buffer_for(6);
        push_value(value, levels, &mut slots)?;
        Some(Self { slots })
    }

    /// Returns the value of the document.
    #[inline]
    pub fn root(&self) -> JsonRef<'_> {
        JsonRef::at(&self.slots)
    }

    /// Returns the value at a [position](Self::position).
    #[doc(hidden)]
    pub fn at(&self, position: usize) -> JsonRef<'_> {
        JsonRef::at(self.slots.get(position..).unwrap_or_default())
    }

    /// Copies the document to a [`Value`].
    pub fn to_value(&self) -> Value {
        self.root().to_value()
    }

    /// Returns the number of scalars, keys, arrays and objects at all depths.
    #[doc(hidden)]
    #[inline]
    pub fn size(&self) -> usize {
        self.slots.len()
    }

    /// Copies the borrowed strings, so that the document outlives its source.
    pub fn into_owned(self) -> Tape<'static> {
        Tape {
            slots: self.slots.into_iter().map(Slot::into_owned).collect(),
        }
    }

    /// Drops the document and keeps its buffer for the next tape of this thread, which saves the
    /// allocation. Buffers over 24 KB are freed.
    #[inline]
    pub fn recycle(self) {
        keep(self.slots);
    }
}

impl<'t> From<&'t Value> for Tape<'t> {
    /// Creates a tape that borrows from `value`, without a limit on its depth.
    fn from(value: &'t Value) -> Self {
        Self::with_levels(value, usize::MAX).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
