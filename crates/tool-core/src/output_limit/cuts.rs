//! What was cut in a result, so that a batch can cut on.

use super::excerpt::{Excerpt, Missing};
use crate::ContentBlock;

/// What was cut in a result: nothing, for most. It is no part of the result's value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cuts(Option<Box<Made>>);

#[derive(Debug, Clone)]
pub(crate) struct Made {
    /// What the marks say about where the whole is.
    pub(crate) kept: Kept,
    pub(crate) cuts: Vec<Cut>,
}

/// Where the whole of a result's text is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    pub(crate) handle: Option<String>,
    /// Whether the model has the tool that reads on.
    pub(crate) readable: bool,
}

/// How one block was cut.
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

    /// Bytes of text that the output had before anything was cut.
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

/// Two results are the same whatever is known of how they were cut.
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

    /// The excerpt that a block's text shows.
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
    /// What a mark says after its counts, for a model that may go on at byte `next`.
    pub(crate) fn note(&self, next: usize) -> String {
        match &self.handle {
            None => String::new(),
            Some(handle) if self.readable => format!(
                "; read on with read_stored_output {{\"handle\":\"{handle}\",\"offset\":{next}}}"
            ),
            Some(handle) => format!("; all of it is kept as {handle}"),
        }
    }
}
