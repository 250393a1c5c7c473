//! Fitting one result into its limit.

use super::store;
use crate::catalog::Tools;
use crate::dispatch::Settings;
use crate::output_limit::{Cut, Cuts, Excerpt, Kept, Made, media, shares};
use crate::{ContentBlock, OutputLimit, ToolResult, clock};

/// Texts over this size are not written into logs and records, which hold a handle in their place: 10 KB.
pub(crate) const INLINE_BYTES: usize = 10 * 1024;

/// Whether anything must be cut or kept.
#[inline]
pub(crate) fn is_needed(content: &[ContentBlock], limit: OutputLimit, settings: &Settings) -> bool {
    // What nearly every call comes to.
    if let [ContentBlock::Text { text }] = content
        && text.len() <= INLINE_BYTES
        && limit.surely_fits(text.len())
    {
        return false;
    }
    is_over(content, limit) || media::is_over(content, limit) || is_recorded(content, settings)
}

/// Whether there is more text than is shown.
fn is_over(content: &[ContentBlock], limit: OutputLimit) -> bool {
    let fits = limit.surely_fits(text_bytes(content));
    !fits && text_size(content, limit) > limit.room()
}

/// Whether a record needs a handle to the text.
fn is_recorded(content: &[ContentBlock], settings: &Settings) -> bool {
    let recorded = settings.audit.is_some() && settings.output_store.is_some();
    recorded && text_bytes(content) > INLINE_BYTES
}

/// Cuts what the model is shown to the limit, and keeps the whole where there is a store.
pub(crate) async fn fit(
    result: &mut ToolResult,
    limit: OutputLimit,
    settings: &Settings,
    tools: &Tools,
) {
    let since = clock::now();
    let keep = is_over(&result.content, limit) || is_recorded(&result.content, settings);
    // Before the text is kept, so that its places stay the same.
    let mut dropped = media::cut_images(&mut result.content, limit);
    let mut kept = Kept::default();
    if let Some(store) = settings.output_store.as_ref().filter(|_| keep) {
        kept.handle = store::keep(store, result).await;
        kept.readable = tools.get("read_stored_output").is_some();
    }
    dropped += media::cut_blocks(&mut result.content, limit);
    let (cuts, cut_out) = cut(&mut result.content, limit, &kept);
    result.metadata.bytes_dropped += dropped + cut_out;
    result.cuts = Cuts::made(Made { kept, cuts });
    result
        .metadata
        .took_longer(clock::now().duration_since(since));
}

/// Shortens the texts to the limit in all. Gives what was cut, and the number of bytes cut out.
fn cut(content: &mut [ContentBlock], limit: OutputLimit, kept: &Kept) -> (Vec<Cut>, u64) {
    let sizes = content.iter().map(|block| size(block, limit));
    let shares = shares(sizes, limit.room());
    let (mut cuts, mut dropped, mut begins) = (Vec::new(), 0, 0);
    for (place, (block, share)) in content.iter_mut().zip(shares).enumerate() {
        let ContentBlock::Text { text } = block else {
            continue;
        };
        let bytes = text.len();
        if limit.size(text) > share {
            let excerpt = Excerpt::of(text, limit, share);
            cuts.push(Cut::new(place, &excerpt));
            dropped += excerpt.missing.bytes as u64;
            *text = excerpt.render(&kept.note(begins + excerpt.head.len()));
        }
        // The kept text has a line break between blocks.
        begins += bytes + 1;
    }
    (cuts, dropped)
}

fn text_bytes(content: &[ContentBlock]) -> usize {
    content
        .iter()
        .filter_map(ContentBlock::as_text)
        .map(str::len)
        .sum()
}

fn text_size(content: &[ContentBlock], limit: OutputLimit) -> usize {
    content.iter().map(|block| size(block, limit)).sum()
}

fn size(block: &ContentBlock, limit: OutputLimit) -> usize {
    block.as_text().map_or(0, |text| limit.size(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_stay_and_the_texts_share_the_budget() {
        let image = ContentBlock::Image {
            media_type: "image/png".into(),
            data: "x".repeat(500),
        };
        let mut content = [
            ContentBlock::text("12345"),
            image.clone(),
            ContentBlock::text("abcdefghij"),
        ];

        let (cuts, dropped) = cut(&mut content, OutputLimit::bytes(11), &Kept::default());

        assert_eq!(content[0], ContentBlock::text("12345"));
        assert_eq!(content[1], image);
        assert_eq!(
            content[2],
            ContentBlock::text("abc\n[… 4 bytes in 1 line left out of 10 bytes in all]\nhij")
        );
        assert_eq!((cuts.len(), dropped), (1, 4));
    }

    #[test]
    fn a_mark_says_where_to_read_on_in_the_text_that_is_kept() {
        let kept = Kept {
            handle: Some("out_7".into()),
            readable: true,
        };
        let mut content = [ContentBlock::text("ab"), ContentBlock::text("0123456789")];

        cut(&mut content, OutputLimit::bytes(6), &kept);

        assert_eq!(
            content[1].as_text().unwrap(),
            "01\n[… 6 bytes in 1 line left out of 10 bytes in all; read on with read_stored_output {\"handle\":\"out_7\",\"offset\":5}]\n89"
        );
    }
}
