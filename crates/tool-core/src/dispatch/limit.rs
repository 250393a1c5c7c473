//! Step 9: limits the output that the model sees. The full text is written to the output store, if there is one.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::Settings;
use super::stop::{guarded, guarded_wait};
use crate::catalog::Tools;
use crate::output_limit::{
    Excerpt, OmittedSize, Stored, StoredText, TruncatedBlock, Truncations, media, shares,
};
use crate::output_store::{OutputStore, STORED_OUTPUT};
use crate::{ContentBlock, OutputLimit, ToolResult, clock};

/// Maximum bytes of an output in audit events; larger outputs are replaced by a handle.
pub(crate) const INLINE_BYTES: usize = 10 * 1024;

/// Returns `true` if the content must be truncated or stored.
#[inline]
pub(crate) fn is_needed(content: &[ContentBlock], limit: OutputLimit, settings: &Settings) -> bool {
    // Fast path of nearly all calls.
    if let [ContentBlock::Text { text }] = content
        && text.len() <= INLINE_BYTES
        && limit.fits_bytes(text.len())
    {
        return false;
    }
    is_over(content, limit) || media::is_over(content, limit) || is_recorded(content, settings)
}

/// Returns `true` if the text exceeds the limit.
fn is_over(content: &[ContentBlock], limit: OutputLimit) -> bool {
    !limit.fits(content.iter().filter_map(ContentBlock::counted_text))
}

/// Replaces each resource that contains text by its text, which can be truncated.
fn resources_as_text(content: &mut [ContentBlock]) {
    for block in content {
        if block.as_text().is_none() && block.counted_text().is_some() {
            *block = ContentBlock::text(block.to_text());
        }
    }
}

/// Returns `true` if an audit event needs a handle to the text.
fn is_recorded(content: &[ContentBlock], settings: &Settings) -> bool {
    let recorded = settings.audit.is_some() && settings.output_store.is_some();
    recorded && text_bytes(content) > INLINE_BYTES
}

/// Truncates the content to the limit, and stores the full text if there is a store.
pub(crate) async fn limit(
    result: &mut ToolResult,
    limit: OutputLimit,
    settings: &Settings,
    tools: &Tools,
) {
    if !is_needed(&result.content, limit, settings) {
        return;
    }
    let since = clock::now();
    // The audit log refers to long outputs by a handle, so they are stored even if the model sees all of them.
    let keep = is_over(&result.content, limit) || is_recorded(&result.content, settings);
    // Before the text is stored, so that offsets match.
    if is_over(&result.content, limit) {
        resources_as_text(&mut result.content);
    }
    let mut dropped = media::cut_media(&mut result.content, limit);
    let mut stored = StoredText::default();
    if let Some(output_store) = settings.output_store.as_ref().filter(|_| keep) {
        stored.handle = store(output_store, result).await;
        stored.readable = tools.get("read_stored_output").is_some();
    }
    dropped += media::cut_blocks(&mut result.content, limit);
    result.metadata.bytes_dropped += dropped;
    shorten(result, stored, limit, limit.capacity());
    result
        .metadata
        .took_longer(clock::now().duration_since(since));
}

/// Shortens the content to `capacity`. Extends earlier cuts, whose markers then count all omitted text.
fn shorten(result: &mut ToolResult, stored: StoredText, limit: OutputLimit, capacity: usize) {
    let before = std::mem::take(&mut result.truncations);
    let sizes = (0..)
        .zip(&result.content)
        .map(|(place, block)| block_size(&before, place, block, limit));
    let shares = shares(sizes, capacity);
    let (mut truncations, mut begins) = (Vec::new(), 0);
    for (place, (block, share)) in result.content.iter_mut().zip(shares).enumerate() {
        let ContentBlock::Text { text } = block else {
            continue;
        };
        let earlier = before.of_block(place);
        let excerpt = excerpt_of(text, earlier, limit, share);
        let whole = excerpt.full_bytes();
        if excerpt.omitted.bytes > 0 {
            let cut_before = earlier.map_or(0, |truncated| truncated.omitted.bytes);
            result.metadata.bytes_dropped += (excerpt.omitted.bytes - cut_before) as u64;
            truncations.push(TruncatedBlock::new(place, &excerpt));
            *text = excerpt.render(&stored.note(begins + excerpt.head.len()));
        }
        // The stored text has a newline between blocks.
        begins += whole + 1;
    }
    result.truncations = Truncations::new(Stored {
        stored,
        truncations,
    });
}

fn excerpt_of(
    text: &str,
    earlier: Option<TruncatedBlock>,
    limit: OutputLimit,
    share: usize,
) -> Excerpt<'_> {
    match earlier {
        Some(truncated) => {
            let visible = truncated.excerpt(text);
            if visible.size(limit) > share {
                visible.shortened(limit, share)
            } else {
                visible
            }
        }
        None if limit.size(text) > share => Excerpt::of(text, limit, share),
        None => Excerpt {
            head: text,
            tail: "",
            omitted: OmittedSize::default(),
        },
    }
}

/// Returns the size of a block without its marker.
fn block_size(
    truncations: &Truncations,
    place: usize,
    block: &ContentBlock,
    limit: OutputLimit,
) -> usize {
    let Some(text) = block.counted_text() else {
        return 0;
    };
    match truncations.of_block(place) {
        Some(truncated) => truncated.excerpt(text).size(limit),
        None => limit.size(text),
    }
}

fn text_bytes(content: &[ContentBlock]) -> usize {
    content
        .iter()
        .filter_map(ContentBlock::as_text)
        .map(str::len)
        .sum()
}

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

/// Timeout of a store.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Stores the result's text and adds the handle to its metadata; `None` if that fails.
async fn store(store: &Arc<dyn OutputStore>, result: &mut ToolResult) -> Option<String> {
    // The text comes from the store already, by `read_stored_output`.
    if let Some(Value::String(handle)) = result.metadata.extra.get(STORED_OUTPUT) {
        return Some(handle.clone());
    }
    let text = result.text().into();
    let put = guarded_wait(guarded(|| Ok(store.put(text))));
    let handle = match tokio::time::timeout(TIMEOUT, put).await {
        Ok(Ok(Ok(handle))) => handle.to_string(),
        Ok(Ok(Err(error))) => return lost(result, &error),
        Ok(Err(issue)) => return lost(result, &issue),
        Err(elapsed) => return lost(result, &elapsed),
    };
    let extra = &mut result.metadata.extra;
    extra.insert(STORED_OUTPUT.to_owned(), handle.as_str().into());
    Some(handle)
}

fn lost(result: &mut ToolResult, error: &(dyn std::error::Error + 'static)) -> Option<String> {
    tracing::warn!(
        error,
        call = result.id.as_str(),
        "a large output could not be stored"
    );
    result
        .warnings
        .push("The full output could not be stored.".to_owned());
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolError;

    fn shortened(content: Vec<ContentBlock>, stored: StoredText, bytes: usize) -> ToolResult {
        let mut result = ToolResult::refused("1", "f", ToolError::cancelled());
        result.content = content;
        shorten(&mut result, stored, OutputLimit::bytes(bytes), bytes);
        result
    }

    #[test]
    fn text_blocks_share_limit_and_media_stay() {
        let image = ContentBlock::Image {
            media_type: "image/png".into(),
            data: "x".repeat(500),
        };
        let content = vec![
            ContentBlock::text("12345"),
            image.clone(),
            ContentBlock::text("abcdefghij"),
        ];

        let result = shortened(content, StoredText::default(), 11);

        let truncated = "abc\n[… 4 bytes in 1 line omitted of 10 bytes in total]\nhij";
        let expected = [
            ContentBlock::text("12345"),
            image,
            ContentBlock::text(truncated),
        ];
        assert_eq!(result.content, expected);
        assert_eq!(result.metadata.bytes_dropped, 4);
        assert!(result.truncations.of_block(2).is_some());
    }

    #[test]
    fn text_of_resource_counts_and_is_truncated() {
        let resource = |text: &str| ContentBlock::Resource {
            uri: "a:b".into(),
            media_type: None,
            contents: crate::ResourceContents::Text(text.into()),
        };
        let limit = OutputLimit::bytes(12);
        assert!(!is_over(&[resource("0123456789")], limit));
        let mut content = vec![resource("0123456789"), ContentBlock::text("abc")];
        assert!(is_over(&content, limit));

        resources_as_text(&mut content);
        let result = shortened(content, StoredText::default(), 12);

        assert!(result.metadata.bytes_dropped > 0);
        let text = result.text();
        assert!(
            text.starts_with("a:b:\n") && text.ends_with("\nabc"),
            "{text}"
        );
    }

    #[test]
    fn marker_contains_offset_in_stored_text() {
        let stored = StoredText {
            handle: Some("out_7".into()),
            readable: true,
        };
        let content = vec![ContentBlock::text("ab"), ContentBlock::text("0123456789")];

        let result = shortened(content, stored, 6);

        assert_eq!(
            result.content[1].as_text().unwrap(),
            "01\n[… 6 bytes in 1 line omitted of 10 bytes in total; continue with read_stored_output {\"handle\":\"out_7\",\"offset\":5}]\n89"
        );
    }
}
