//! One budget for all results of a batch.

use crate::output_limit::{Cut, Cuts, Excerpt, Kept, Made, Missing, shares};
use crate::{ContentBlock, OutputLimit, ToolResult};

/// Cuts the results of a batch to one limit: small ones stay whole, large ones share the rest. What was cut before is
/// cut on, and its marks say what is missing in all.
pub(crate) fn share_out(results: &mut [ToolResult], limit: OutputLimit) {
    let sizes = results.iter().map(|result| shown_size(result, limit));
    let shares = shares(sizes, limit.room());
    for (result, share) in results.iter_mut().zip(shares) {
        if shown_size(result, limit) > share {
            shorten(result, limit, share);
        }
    }
}

fn shorten(result: &mut ToolResult, limit: OutputLimit, room: usize) {
    let before = std::mem::take(&mut result.cuts);
    let kept = before.kept();
    let sizes = (0..)
        .zip(&result.content)
        .map(|(place, block)| block_size(&before, place, block, limit));
    let shares = shares(sizes, room);
    let (mut cuts, mut begins) = (Vec::new(), 0);
    for (place, (block, share)) in result.content.iter_mut().zip(shares).enumerate() {
        let ContentBlock::Text { text } = block else {
            continue;
        };
        let earlier = before.of_block(place);
        let excerpt = excerpt_of(text, earlier, limit, share);
        let whole = excerpt.whole_bytes();
        if excerpt.missing.bytes > 0 {
            let cut_before = earlier.map_or(0, |cut| cut.missing.bytes);
            result.metadata.bytes_dropped += (excerpt.missing.bytes - cut_before) as u64;
            cuts.push(Cut::new(place, &excerpt));
            *text = excerpt.render(&note(&kept, begins, &excerpt));
        }
        begins += whole + 1;
    }
    result.cuts = Cuts::made(Made { kept, cuts });
}

fn note(kept: &Kept, begins: usize, excerpt: &Excerpt<'_>) -> String {
    kept.note(begins + excerpt.head.len())
}

fn excerpt_of(text: &str, earlier: Option<Cut>, limit: OutputLimit, share: usize) -> Excerpt<'_> {
    match earlier {
        Some(cut) => {
            let shown = cut.excerpt(text);
            if shown.size(limit) > share {
                shown.shortened(limit, share)
            } else {
                shown
            }
        }
        None if limit.size(text) > share => Excerpt::of(text, limit, share),
        None => Excerpt {
            head: text,
            tail: "",
            missing: Missing::default(),
        },
    }
}

fn shown_size(result: &ToolResult, limit: OutputLimit) -> usize {
    let sizes = (0..).zip(&result.content);
    sizes
        .map(|(place, block)| block_size(&result.cuts, place, block, limit))
        .sum()
}

/// The size of a block without its mark.
fn block_size(cuts: &Cuts, place: usize, block: &ContentBlock, limit: OutputLimit) -> usize {
    let Some(text) = block.as_text() else {
        return 0;
    };
    match cuts.of_block(place) {
        Some(cut) => cut.excerpt(text).size(limit),
        None => limit.size(text),
    }
}
