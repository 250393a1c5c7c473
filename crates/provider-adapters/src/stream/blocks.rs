//! Numbered content blocks of a streamed response.

use serde_json::Value;

use super::{ArgumentBuffer, DeltaSink, PushError};
use crate::Object;

/// Content block.
#[derive(Debug, Default)]
pub(crate) struct Block {
    index: Option<u64>,
    /// Members of its start event, with later text appended.
    pub(crate) value: Object,
    /// Position among the calls, if the block is a call.
    pub(crate) call: Option<usize>,
    /// Chunks of the arguments. A call that the provider runs itself has some, too.
    pub(crate) input: ArgumentBuffer,
    is_closed: bool,
}

/// Content blocks of one response. Reusing the index of a closed block begins a new block.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    calls: usize,
}

impl Blocks {
    /// Begins a new block.
    pub(crate) fn begin(
        &mut self,
        index: Option<u64>,
        sink: &mut DeltaSink<'_>,
    ) -> Result<&mut Block, PushError> {
        sink.count_part()?;
        let block = Block {
            index,
            ..Block::default()
        };
        Ok(self.blocks.push_mut(block))
    }

    /// Marks the newest block as a call and returns the call's position.
    pub(crate) fn name_call(&mut self) -> usize {
        let call = self.calls;
        if let Some(block) = self.blocks.last_mut() {
            block.call = Some(call);
            self.calls += 1;
        }
        call
    }

    /// Returns the newest block with this index, or the newest of all blocks if `index` is `None`.
    pub(crate) fn newest(&mut self, index: Option<u64>) -> Option<&mut Block> {
        let mut newest = self.blocks.iter_mut().rev();
        newest.find(|block| index.is_none() || block.index == index)
    }

    /// Returns the newest block with this index if it is open. Otherwise begins a new block.
    pub(crate) fn open(
        &mut self,
        index: Option<u64>,
        sink: &mut DeltaSink<'_>,
    ) -> Result<&mut Block, PushError> {
        let is_open = self.newest(index).is_some_and(|block| !block.is_closed);
        if !is_open {
            return self.begin(index, sink);
        }
        match self.newest(index) {
            Some(block) => Ok(block),
            None => Err(PushError::NotJson),
        }
    }

    /// Marks the newest block with this index as complete.
    pub(crate) fn close(&mut self, index: Option<u64>) {
        if let Some(block) = self.newest(index) {
            block.is_closed = true;
        }
    }

    /// Returns the blocks, sorted by index if all have one, and the calls that are still open.
    pub(crate) fn finish(
        &mut self,
        mut wire: impl FnMut(&mut Block) -> Value,
    ) -> (Value, Vec<(usize, usize)>) {
        // Blocks may be interleaved. Without indexes, the order of arrival is all there is.
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
