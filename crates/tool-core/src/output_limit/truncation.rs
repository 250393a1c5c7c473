//! Cuts in a result, which a batch can extend.

use super::excerpt::{Excerpt, OmittedSize};
use crate::ContentBlock;

/// Cuts in a result. They are not part of its value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Truncations(Option<Box<Stored>>);

#[derive(Debug, Clone)]
pub(crate) struct Stored {
    /// Location of the full text, for the markers.
    pub(crate) stored: StoredText,
    pub(crate) truncations: Vec<TruncatedBlock>,
}

/// Location of the full text of a result.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredText {
    pub(crate) handle: Option<String>,
    /// Whether the model has the tool that reads the rest.
    pub(crate) readable: bool,
}

/// Cut in one block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TruncatedBlock {
    pub(crate) block: usize,
    pub(crate) head: usize,
    pub(crate) tail: usize,
    pub(crate) omitted: OmittedSize,
}

impl Truncations {
    pub(crate) fn new(new: Stored) -> Self {
        Self((!new.truncations.is_empty()).then(|| Box::new(new)))
    }

    pub(crate) fn stored(&self) -> StoredText {
        self.0
            .as_ref()
            .map(|new| new.stored.clone())
            .unwrap_or_default()
    }

    pub(crate) fn of_block(&self, block: usize) -> Option<TruncatedBlock> {
        let truncations = &self.0.as_ref()?.truncations;
        truncations
            .iter()
            .find(|truncated| truncated.block == block)
            .copied()
    }

    /// Returns the bytes of text before the cuts.
    pub(crate) fn full_bytes(&self, content: &[ContentBlock]) -> u64 {
        let whole = |(place, block): (usize, &ContentBlock)| match self.of_block(place) {
            Some(truncated) => truncated.head + truncated.omitted.bytes + truncated.tail,
            None => block.as_text().map_or(0, str::len),
        };
        content
            .iter()
            .enumerate()
            .map(|block| whole(block) as u64)
            .sum()
    }
}

/// Results with different cuts are equal.
impl PartialEq for Truncations {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl TruncatedBlock {
    pub(crate) fn new(block: usize, excerpt: &Excerpt<'_>) -> Self {
        Self {
            block,
            head: excerpt.head.len(),
            tail: excerpt.tail.len(),
            omitted: excerpt.omitted,
        }
    }

    /// Returns the excerpt in the text of a block.
    pub(crate) fn excerpt<'t>(&self, shown: &'t str) -> Excerpt<'t> {
        let tail = shown.len().checked_sub(self.tail);
        Excerpt {
            head: shown.get(..self.head).unwrap_or_default(),
            tail: tail.and_then(|from| shown.get(from..)).unwrap_or_default(),
            omitted: self.omitted,
        }
    }
}

impl StoredText {
    /// Returns the end of a marker, for a model that may continue at byte `next`.
    pub(crate) fn note(&self, next: usize) -> String {
        match &self.handle {
            None => String::new(),
            Some(handle) if self.readable => format!(
                "; continue with read_stored_output {{\"handle\":\"{handle}\",\"offset\":{next}}}"
            ),
            Some(handle) => format!("; the full output is stored as {handle}"),
        }
    }
}
