//! Step 9: limits the output that the model sees. The full text is written to the output store, if there is one.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::Settings;
use super::stop::{guarded, guarded_wait};
use crate::catalog::Tools;
use crate::output_limit::{Excerpt, media, shares, stored_note};
use crate::output_store::{OutputStore, STORED_OUTPUT};
use crate::{ContentBlock, OutputLimit, ToolResult, clock};

/// Maximum bytes of an output in audit events; larger outputs are replaced by a handle.
pub(crate) const INLINE_BYTES: usize = 10 * 1024;

/// Returns `true` if the content must be truncated or stored.
#[inline]
pub(crate) fn is_needed(content: &[ContentBlock], limit: OutputLimit, settings: &Settings) -> bool {
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

/// Truncates the content to the limit, and stores the full text if there is a store. Returns the bytes of the full text.
pub(crate) async fn limit(
    result: &mut ToolResult,
    limit: OutputLimit,
    settings: &Settings,
    tools: &Tools,
) -> usize {
    if !is_needed(&result.content, limit, settings) {
        return text_bytes(&result.content);
    }
    let since = clock::now();
    // The audit log refers to long outputs by a handle, so they are stored even if the model sees all of them.
    let keep = is_over(&result.content, limit) || is_recorded(&result.content, settings);
    // Before the text is stored, so that offsets match.
    if is_over(&result.content, limit) {
        resources_as_text(&mut result.content);
    }
    let mut dropped = media::cut_media(&mut result.content, limit);
    let handle = match settings.output_store.as_ref().filter(|_| keep) {
        Some(output_store) => store(output_store, result).await,
        None => None,
    };
    dropped += media::cut_blocks(&mut result.content, limit);
    result.metadata.bytes_dropped += dropped;
    let bytes = text_bytes(&result.content);
    let can_continue = tools.get("read_stored_output").is_some();
    shorten(result, limit, |next| {
        let note = stored_note(handle.as_deref(), can_continue, next);
        match handle.as_deref().filter(|_| settings.references) {
            Some(handle) => {
                format!("{note}; as an argument of another call: {{\"$from\":\"{handle}\"}}")
            }
            None => note,
        }
    });
    let metadata = &mut result.metadata;
    metadata.took_longer(clock::now().duration_since(since));
    bytes
}

/// Shortens the content to the limit: small blocks stay complete, and large ones share the rest. `note` is the end of a
/// marker for a model that may continue at a byte of the stored text.
fn shorten(result: &mut ToolResult, limit: OutputLimit, note: impl Fn(usize) -> String) {
    let size = |block: &ContentBlock| block.counted_text().map_or(0, str::len);
    let shares = shares(result.content.iter().map(size), limit.capacity());
    let mut begins = 0;
    for (block, share) in result.content.iter_mut().zip(shares) {
        let ContentBlock::Text { text } = block else {
            continue;
        };
        let bytes = text.len();
        if bytes > share {
            let excerpt = Excerpt::of(text, share);
            result.metadata.bytes_dropped += excerpt.hidden_bytes() as u64;
            *text = excerpt.render(&note(begins + excerpt.head.len()));
        }
        // The stored text has a newline between blocks.
        begins += bytes + 1;
    }
}

fn text_bytes(content: &[ContentBlock]) -> usize {
    content
        .iter()
        .filter_map(ContentBlock::as_text)
        .map(str::len)
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

    fn shortened(content: Vec<ContentBlock>, bytes: usize) -> ToolResult {
        let mut result = ToolResult::refused("1", "f", ToolError::cancelled());
        result.content = content;
        let note = |next| format!("; next {next}");
        shorten(&mut result, OutputLimit::bytes(bytes), note);
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

        let result = shortened(content, 11);

        let truncated = "abc\n[… 4 bytes in line 1 omitted of 10 bytes in total; next 9]\nhij";
        let expected = [
            ContentBlock::text("12345"),
            image,
            ContentBlock::text(truncated),
        ];
        assert_eq!(result.content, expected);
        assert_eq!(result.metadata.bytes_dropped, 4);
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
        let result = shortened(content, 12);

        assert!(result.metadata.bytes_dropped > 0);
        let text = result.text();
        assert!(
            text.starts_with("a:b:\n") && text.ends_with("\nabc"),
            "{text}"
        );
    }

    #[test]
    fn marker_contains_offset_in_stored_text() {
        let content = vec![ContentBlock::text("ab"), ContentBlock::text("0123456789")];

        let result = shortened(content, 6);

        assert_eq!(
            result.content[1].as_text().unwrap(),
            "01\n[… 6 bytes in line 1 omitted of 10 bytes in total; next 5]\n89"
        );
    }
}
