//! Content detection by type and by first bytes.

use crate::files::magic;

/// Number of bytes to inspect.
const SNIFF_BYTES: usize = 1024;

/// Beginnings of HTML that a server has not declared.
const HTML: [&str; 5] = ["<!--", "<!doctype html", "<html", "<head", "<body"];

/// Returns the media type in lowercase, without parameters.
pub(super) fn essence(content_type: &str) -> String {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Returns whether the media type is unspecific, so that the content decides.
pub(super) fn is_unknown(essence: &str) -> bool {
    let parts = essence.split_once('/');
    let is_broken = parts.is_none_or(|(kind, name)| kind.is_empty() || name.is_empty());
    is_broken
        || matches!(
            essence,
            "unknown/unknown" | "application/unknown" | "application/octet-stream"
        )
}

/// Returns whether the content starts like HTML.
pub(super) fn begins_html(text: &str) -> bool {
    let bytes = text.trim_start().as_bytes();
    HTML.iter().any(|tag| {
        let start = bytes.get(..tag.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
    })
}

/// Describes content that is not text according to its media type. Returns `None` for text and
/// unspecific types.
pub(in crate::web) fn by_type(content_type: &str) -> Option<String> {
    let essence = essence(content_type);
    // The one image format that is text.
    if essence == "image/svg+xml" {
        return None;
    }
    let what = match essence.split('/').next()? {
        "image" => "an image",
        "audio" => "an audio file",
        "video" => "a video",
        "font" => "a font",
        _ => return None,
    };
    Some(named(what, &essence))
}

/// Describes content that is not text according to its first bytes.
pub(in crate::web) fn by_bytes(bytes: &[u8], content_type: Option<&str>) -> Option<String> {
    let essence = content_type.map(essence).unwrap_or_default();
    if let Some(what) = magic::name_of(bytes) {
        return Some(named(what, &essence));
    }
    // In UTF-16, every ASCII character has a zero byte.
    let is_wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let says_wide =
        content_type.is_some_and(|reported| reported.to_ascii_lowercase().contains("utf-16"));
    let beginning = bytes.get(..SNIFF_BYTES).unwrap_or(bytes);
    let is_binary = beginning.contains(&0) && !is_wide && !says_wide;
    is_binary.then(|| named("binary data", &essence))
}

fn named(what: &str, essence: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/+-._".contains(&byte);
    if essence.is_empty() || essence.len() > 80 || !essence.bytes().all(is_plain) {
        return what.to_owned();
    }
    format!("{what} ({essence})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_type_identifies_non_text() {
        for (content_type, what) in [
            ("image/png", Some("an image (image/png)")),
            ("IMAGE/JPEG; q=1", Some("an image (image/jpeg)")),
            ("audio/mpeg", Some("an audio file (audio/mpeg)")),
            ("video/mp4", Some("a video (video/mp4)")),
            ("font/woff2", Some("a font (font/woff2)")),
            ("image/<script>", Some("an image")),
            ("image/svg+xml", None),
            ("text/html", None),
            ("application/octet-stream", None),
            ("", None),
        ] {
            assert_eq!(by_type(content_type).as_deref(), what, "{content_type}");
        }
    }

    #[test]
    fn detects_html_by_first_tag() {
        for (text, is_html) in [
            ("<html>", true),
            (" \t\r\n\x0c<!DOCTYPE html>\n", true),
            ("<head\n", true),
            ("x<html>", false),
            ("<rss>", false),
        ] {
            assert_eq!(begins_html(text), is_html, "{text:?}");
        }
        assert!(begins_html("<!--x"));
        assert!(!begins_html("<?xml ?>"));
    }

    #[test]
    fn unspecific_types_are_unknown() {
        for (content_type, unknown) in [
            ("", true),
            ("garbage", true),
            ("/", true),
            ("text/", true),
            ("unknown/unknown", true),
            ("application/octet-stream", true),
            ("text/plain", false),
            ("application/vnd.x+json", false),
        ] {
            assert_eq!(
                is_unknown(&essence(content_type)),
                unknown,
                "{content_type}"
            );
        }
    }

    #[test]
    fn first_bytes_identify_non_text() {
        for (bytes, content_type, what) in [
            (
                &b"\x89PNG\r\n\x1a\n\0\0"[..],
                Some("text/html"),
                Some("binary data (text/html)"),
            ),
            (
                b"PK\x03\x04",
                Some("application/zip"),
                Some("an archive (application/zip)"),
            ),
            (b"%PDF-1.7", None, Some("a PDF document")),
            (b"\0\0\0\x18ftypmp42", None, Some("binary data")),
            (
                b"a\0b",
                Some("text/plain"),
                Some("binary data (text/plain)"),
            ),
            (b"\xff\xfea\0", None, None),
            (b"a\0b\0", Some("text/html; charset=UTF-16LE"), None),
            (b"", None, None),
            (b"PKG_NAME=x", None, None),
            (b"caf\xe9", None, None),
        ] {
            assert_eq!(by_bytes(bytes, content_type).as_deref(), what, "{bytes:?}");
        }
    }
}
