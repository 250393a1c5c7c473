//! Limits on media and on the number of blocks.

use super::OutputLimit;
use crate::content_block::media_kind;
use crate::{ContentBlock, text};

/// Maximum number of blocks.
const MAX_BLOCKS: usize = 256;

/// Returns `true` if media or blocks exceed their limits.
pub(crate) fn is_over(content: &[ContentBlock], limit: OutputLimit) -> bool {
    let media = content.iter().map(media_len);
    has_too_many(content, limit) || media.fold(0_usize, usize::saturating_add) > limit.media_bytes()
}

/// Replaces each block of media that does not fit by a line of text. Returns the omitted bytes.
pub(crate) fn cut_media(content: &mut [ContentBlock], limit: OutputLimit) -> u64 {
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

/// Replaces the last blocks by a line of text if there are too many. Returns the omitted bytes.
pub(crate) fn cut_blocks(content: &mut Vec<ContentBlock>, limit: OutputLimit) -> u64 {
    if !has_too_many(content, limit) {
        return 0;
    }
    let rest = content.split_off(MAX_BLOCKS - 1);
    let marker = format!("[… {} more blocks omitted]", text::with_commas(rest.len()));
    content.push(ContentBlock::text(marker));
    rest.iter().map(|block| block.len() as u64).sum()
}

fn has_too_many(content: &[ContentBlock], limit: OutputLimit) -> bool {
    // A host that sets no limit gets everything.
    content.len() > MAX_BLOCKS && limit.capacity() < usize::MAX
}

fn media_len(block: &ContentBlock) -> usize {
    block.media().map_or(0, |(_, data)| data.len())
}

fn instead_of(block: &ContentBlock, bytes: usize) -> String {
    let kind = media_kind(block.media().and_then(|(media_type, _)| media_type));
    format!(
        "[{kind} of {} bytes omitted: it is too large]",
        text::with_commas(bytes)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ResourceContents;

    fn image(bytes: usize) -> ContentBlock {
        ContentBlock::Image {
            media_type: "image/png".into(),
            data: "x".repeat(bytes),
        }
    }

    #[test]
    fn replaces_only_media_that_do_not_fit() {
        let limit = OutputLimit::bytes(100).with_media_bytes(2000);
        let audio = ContentBlock::Audio {
            media_type: "audio/wav".into(),
            data: "x".repeat(1000),
        };
        let blob = ContentBlock::Resource {
            uri: "test://a".into(),
            media_type: None,
            contents: ResourceContents::Blob("x".repeat(1000)),
        };
        let mut content = vec![image(1500), image(1000), image(400), audio, blob];
        assert!(is_over(&content, limit));

        let dropped = cut_media(&mut content, limit);

        let line = |kind: &str| {
            ContentBlock::text(format!("[{kind} of 1,000 bytes omitted: it is too large]"))
        };
        let [png, wav, unknown] = ["image/png", "audio/wav", "binary data"].map(line);
        assert_eq!(content, [image(1500), png, image(400), wav, unknown]);
        assert_eq!(dropped, 3000);
    }

    #[test]
    fn limits_number_of_blocks() {
        let limit = OutputLimit::bytes(100);
        let mut content = vec![ContentBlock::text("ab"); 1000];
        assert!(is_over(&content, limit));

        let dropped = cut_blocks(&mut content, limit);

        assert_eq!(content.len(), MAX_BLOCKS);
        assert_eq!(
            content[255],
            ContentBlock::text("[… 745 more blocks omitted]")
        );
        assert_eq!(dropped, 1490);
    }
}
