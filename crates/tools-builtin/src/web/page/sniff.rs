//! Content detection by type and by first bytes.

/// Number of bytes to inspect.
const SNIFF_BYTES: usize = 1024;

/// First bytes of files that are not text.
const SIGNATURES: [(&[u8], &str); 30] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"\0\0\x01\0", "an icon"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive or an office document"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old office document",
    ),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\0", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\0asm", "a WebAssembly module"),
    (b"OggS", "an Ogg file"),
    (b"fLaC", "a FLAC audio file"),
    (b"ID3", "an MP3 audio file"),
    (b"\x1aE\xdf\xa3", "a Matroska or WebM video"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"RIFF", "a RIFF file such as WebP, WAV or AVI"),
    (b"\xff\xfb", "an MP3 audio file"),
];

/// Tags at the start of HTML. Whitespace or `>` must follow.
const HTML_TAGS: [&str; 16] = [
    "<!doctype html",
    "<html",
    "<head",
    "<script",
    "<iframe",
    "<h1",
    "<div",
    "<font",
    "<table",
    "<a",
    "<style",
    "<title",
    "<b",
    "<body",
    "<br",
    "<p",
];

/// Returns the media type in lowercase, without parameters.
pub(super) fn essence(content_type: &str) -> String {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Returns whether the media type is unspecific, so that the content decides.
pub(super) fn is_unknown(essence: &str) -> bool {
    let is_part = |part: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
        !part.is_empty() && part.bytes().all(is_letter)
    };
    let parts = essence.split_once('/');
    let is_broken = !parts.is_some_and(|(kind, name)| is_part(kind) && is_part(name));
    is_broken
        || matches!(
            essence,
            "unknown/unknown" | "application/unknown" | "application/octet-stream"
        )
}

/// Returns whether the content starts like HTML, according to the MIME Sniffing Standard.
pub(super) fn begins_html(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r', '\x0c']);
    if text.starts_with("<!--") {
        return true;
    }
    let bytes = text.as_bytes();
    HTML_TAGS
        .iter()
        .any(|tag| match bytes.split_at_checked(tag.len()) {
            Some((start, [b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'>', ..])) => {
                start.eq_ignore_ascii_case(tag.as_bytes())
            }
            _ => false,
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
    let signature = SIGNATURES
        .iter()
        .find(|(beginning, _)| bytes.starts_with(beginning));
    if let Some((_, what)) = signature {
        return Some(named(what, &essence));
    }
    if bytes.get(4..8) == Some(b"ftyp") {
        return Some(named("a video or an image", &essence));
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
        for tag in HTML_TAGS {
            for (text, is_html) in [
                (format!("{tag}>"), true),
                (format!(" \t\r\n\x0c{} x", tag.to_uppercase()), true),
                (format!("{tag}\n"), true),
                (format!("{tag}-x"), false),
                (format!("x{tag}>"), false),
                (format!("\u{a0}{tag}>"), false),
                (tag.to_owned(), false),
            ] {
                assert_eq!(begins_html(&text), is_html, "{text:?}");
            }
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
            ("*/*", true),
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
                Some("a PNG image (text/html)"),
            ),
            (
                b"PK\x03\x04",
                Some("application/zip"),
                Some("a zip archive or an office document (application/zip)"),
            ),
            (b"%PDF-1.7", None, Some("a PDF document")),
            (b"\0\0\0\x18ftypmp42", None, Some("a video or an image")),
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
