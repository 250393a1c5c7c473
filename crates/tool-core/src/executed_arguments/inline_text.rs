//! Short text that is stored without an allocation.

use std::ops::Deref;

/// Text of at most [`MAX_BYTES`](Self::MAX_BYTES).
#[derive(Clone)]
pub(super) struct InlineText {
    length: u8,
    bytes: [u8; Self::MAX_BYTES],
}

impl InlineText {
    pub(super) const MAX_BYTES: usize = 63;

    pub(super) const EMPTY: Self = Self {
        length: 0,
        bytes: [0; Self::MAX_BYTES],
    };

    /// Replaces the text. Returns `false` if it is too long.
    #[inline]
    pub(super) fn set(&mut self, text: &str) -> bool {
        let room = self.bytes.get_mut(..text.len());
        let (Some(room), Ok(length)) = (room, u8::try_from(text.len())) else {
            return false;
        };
        room.copy_from_slice(text.as_bytes());
        self.length = length;
        true
    }
}

impl Deref for InlineText {
    type Target = str;

    fn deref(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length));
        // The bytes are those of a text.
        bytes
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }
}
