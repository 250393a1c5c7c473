//! The bound of media, and of the number of blocks.

use super::limit::OutputLimit;
use crate::{ContentBlock, text};

/// The most blocks that are shown.
const MAX_BLOCKS: usize = 256;

/// Whether media or blocks are too much.
pub(crate) fn is_over(content: &[ContentBlock], limit: OutputLimit) -> bool {
    let media = content.iter().map(media_len);
    has_too_many(content, limit) || media.fold(0_usize, usize::saturating_add) > limit.media_bytes()
}

/// Puts a line in place of each image that does not fit. Gives the bytes left out.
pub(crate) fn cut_images(content: &mut [ContentBlock], limit: OutputLimit) -> u64 {
    let mut left = limit.media_bytes();
    let mut dropped = 0;
    for block in content {
        let bytes = media_len(block);
        if bytes <= left {
            left -= bytes;
        } else {
            dropped += bytes as u64;
            *block = ContentBlock::text(instead_of(block, bytes));
        }
    }
    dropped
}

/// Puts a line in place of the last blocks where there are too many. Gives the bytes left out.
pub(crate) fn cut_blocks(content: &mut Vec<ContentBlock>, limit: OutputLimit) -> u64 {
    if !has_too_many(content, limit) {
        return 0;
    }
    let rest = content.split_off(MAX_BLOCKS - 1);
    let bytes = |block: &ContentBlock| media_len(block) + block.as_text().map_or(0, str::len);
    let mark = format!("[… {} more parts left out]", text::with_commas(rest.len()));
    content.push(ContentBlock::text(mark));
    rest.iter().map(|block| bytes(block) as u64).sum()
}

fn has_too_many(content: &[ContentBlock], limit: OutputLimit) -> bool {
    content.len() > MAX_BLOCKS && limit.room() < usize::MAX
}

fn media_len(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Image { data, .. } => data.len(),
        ContentBlock::Text { .. } | ContentBlock::ResourceLink { .. } => 0,
    }
}

fn instead_of(block: &ContentBlock, bytes: usize) -> String {
    let kind = match block {
        ContentBlock::Image { media_type, .. } => text::short(media_type, 64),
        ContentBlock::Text { .. } | ContentBlock::ResourceLink { .. } => "block".to_owned(),
    };
    format!(
        "[{kind} of {} bytes left out: it is too large]",
        text::with_commas(bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(bytes: usize) -> ContentBlock {
        ContentBlock::Image {
            media_type: "image/png".into(),
            data: "x".repeat(bytes),
        }
    }

    #[test]
    fn an_image_that_is_too_large_becomes_a_line_and_the_next_may_still_fit() {
        let limit = OutputLimit::bytes(100).with_media_bytes(2000);
        let mut content = vec![image(1500), image(1000), image(400)];
        assert!(is_over(&content, limit));

        let dropped = cut_images(&mut content, limit);

        let line = ContentBlock::text("[image/png of 1,000 bytes left out: it is too large]");
        assert_eq!(content, [image(1500), line, image(400)]);
        assert_eq!(dropped, 1000);
    }

    #[test]
    fn a_flood_of_blocks_is_bounded() {
        let limit = OutputLimit::bytes(100);
        let mut content = vec![ContentBlock::text("ab"); 1000];
        assert!(is_over(&content, limit));

        let dropped = cut_blocks(&mut content, limit);

        assert_eq!(content.len(), MAX_BLOCKS);
        assert_eq!(
            content[255],
            ContentBlock::text("[… 745 more parts left out]")
        );
        assert_eq!(dropped, 1490);
    }
}
