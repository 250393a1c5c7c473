//! Cuts in a result, which a batch can extend.

use super::excerpt::{Excerpt, Missing};
use crate::ContentBlock;

/// Cuts in a result. They are not part of its value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cuts(Option<Box<Made>>);

#[derive(Debug, Clone)]
pub(crate) struct Made {
    /// Location of the full text, for the markers.
    pub(crate) kept: Kept,
    pub(crate) cuts: Vec<Cut>,
}

/// Location of the full text of a result.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    pub(crate) handle: Option<String>,
    /// Whether the model has the tool that reads the rest.
    pub(crate) readable: bool,
}

/// Cut in one block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) block: usize,
    pub(crate) head: usize,
    pub(crate) tail: usize,
    pub(crate) missing: Missing,
}

impl Cuts {
    pub(crate) fn made(made: Made) -> Self {
        Self((!made.cuts.is_empty()).then(|| Box::new(made)))
    }

    pub(crate) fn kept(&self) -> Kept {
        self.0
            .as_ref()
            .map(|made| made.kept.clone())
            .unwrap_or_default()
    }

    pub(crate) fn of_block(&self, block: usize) -> Option<Cut> {
        let cuts = &self.0.as_ref()?.cuts;
        cuts.iter().find(|cut| cut.block == block).copied()
    }

    /// Returns the bytes of text before the cuts.
    pub(crate) fn whole_bytes(&self, content: &[ContentBlock]) -> u64 {
        let whole = |(place, block): (usize, &ContentBlock)| match self.of_block(place) {
            Some(cut) => cut.head + cut.missing.bytes + cut.tail,
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
impl PartialEq for Cuts {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Cut {
    pub(crate) fn new(block: usize, excerpt: &Excerpt<'_>) -> Self {
        Self {
            block,
            head: excerpt.head.len(),
            tail: excerpt.tail.len(),
            missing: excerpt.missing,
        }
    }

    /// Returns the excerpt in the text of a block.
    pub(crate) fn excerpt<'t>(&self, shown: &'t str) -> Excerpt<'t> {
        let tail = shown.len().checked_sub(self.tail);
        Excerpt {
            head: shown.get(..self.head).unwrap_or_default(),
            tail: tail.and_then(|from| shown.get(from..)).unwrap_or_default(),
            missing: self.missing,
        }
    }
}

impl Kept {
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
