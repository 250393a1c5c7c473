//! Limits the output of a batch.

use super::fit::{block_size, resources_as_text, shorten};
use crate::output_limit::shares;
use crate::{OutputLimit, ToolResult};

/// Truncates the results of a batch to a common limit: small ones stay complete, large ones share the rest. Earlier cuts
/// are extended, and their markers count all omitted text.
pub(crate) fn share_out(results: &mut [ToolResult], limit: OutputLimit) {
    let sizes = results.iter().map(|result| shown_size(result, limit));
    let shares = shares(sizes, limit.capacity());
    for (result, share) in results.iter_mut().zip(shares) {
        if shown_size(result, limit) > share {
            let stored = result.truncations.stored();
            resources_as_text(&mut result.content);
            shorten(result, stored, limit, share);
        }
    }
}

fn shown_size(result: &ToolResult, limit: OutputLimit) -> usize {
    let sizes = (0..).zip(&result.content);
    sizes
        .map(|(place, block)| block_size(&result.truncations, place, block, limit))
        .sum()
}
