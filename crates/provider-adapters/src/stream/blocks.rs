//! The numbered blocks of an answer while they come.

use serde_json::{Map, Value};

use super::{Feed, Joined, PushError};

/// One block.
#[derive(Debug, Default)]
pub(crate) struct Block {
    index: Option<u64>,
    /// What it began with, and the texts that are added to it.
    pub(crate) value: Map<String, Value>,
    /// Its number among the calls, if it is one.
    pub(crate) call: Option<usize>,
    /// The pieces of the arguments, if it is a call.
    pub(crate) input: Joined,
    is_closed: bool,
}

/// The blocks of one answer. A number that is used again begins a new block.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    calls: usize,
}

impl Blocks {
    /// Begins a block.
    pub(crate) fn begin(
        &mut self,
        index: Option<u64>,
        feed: &mut Feed<'_>,
    ) -> Result<&mut Block, PushError> {
        feed.part()?;
        let block = Block {
            index,
            ..Block::default()
        };
        Ok(self.blocks.push_mut(block))
    }

    /// Makes the block that was begun last a call, and gives its number.
    pub(crate) fn name_call(&mut self) -> usize {
        let call = self.calls;
        if let Some(block) = self.blocks.last_mut() {
            block.call = Some(call);
            self.calls += 1;
        }
        call
    }

    /// The newest block of a number; without one, the newest of all.
    pub(crate) fn newest(&mut self, index: Option<u64>) -> Option<&mut Block> {
        let mut newest = self.blocks.iter_mut().rev();
        newest.find(|block| index.is_none() || block.index == index)
    }

    /// The newest block of a number if it is open, else a new one.
    pub(crate) fn open(
        &mut self,
        index: Option<u64>,
        feed: &mut Feed<'_>,
    ) -> Result<&mut Block, PushError> {
        let is_open = self.newest(index).is_some_and(|block| !block.is_closed);
        if !is_open {
            return self.begin(index, feed);
        }
        match self.newest(index) {
            Some(block) => Ok(block),
            None => Err(PushError::NotJson),
        }
    }

    /// The provider says that a block is at its end.
    pub(crate) fn close(&mut self, index: Option<u64>) {
        if let Some(block) = self.newest(index) {
            block.is_closed = true;
        }
    }

    /// The blocks by their numbers, where each has one, and the calls that were left open.
    pub(crate) fn whole(
        &mut self,
        mut wire: impl FnMut(&mut Block) -> Value,
    ) -> (Value, Vec<(usize, usize)>) {
        if self.blocks.iter().all(|block| block.index.is_some()) {
            self.blocks.sort_by_key(|block| block.index);
        }
        let calls = self.blocks.iter().filter(|block| block.call.is_some());
        let open = calls
            .enumerate()
            .filter(|(_, block)| !block.is_closed)
            .map(|(position, _)| (0, position))
            .collect();
        (self.blocks.iter_mut().map(&mut wire).collect(), open)
    }
}
