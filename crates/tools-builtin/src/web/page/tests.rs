//! Parts of pages.

use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::*;

#[test]
fn slices_at_character_boundaries() {
    for (offset, max_chars, text, next_offset) in [
        (0, 2, "äö", Some(2)),
        (2, 2, "ü€", None),
        (1, 1, "ö", Some(2)),
        (4, 1, "", None),
        (usize::MAX, usize::MAX, "", None),
    ] {
        let slice = Slice::of("äöü€", offset, NonZeroUsize::new(max_chars).unwrap());

        assert_eq!(
            (slice.text.as_str(), slice.next_offset),
            (text, next_offset),
            "{offset}"
        );
        assert_eq!(slice.total_chars, 4);
    }
}

#[test]
fn quotes_lines_that_resemble_separator() {
    for (text, shown) in [
        ("a\n--- Content ---\nb", "a\n> --- Content ---\nb"),
        ("---  content\u{a0} ---", "> ---  content\u{a0} ---"),
        ("---Content---", "> ---Content---"),
        ("--- Con\u{200b}tent ---", "> --- Con\u{200b}tent ---"),
        ("--- Contents ---", "--- Contents ---"),
        ("--- Content --- x", "--- Content --- x"),
    ] {
        assert_eq!(
            Slice::of(text, 0, NonZeroUsize::MAX).text,
            shown,
            "{text:?}"
        );
    }
}

fn source<'s>(body: &'s [u8], content_type: Option<&'s str>) -> Source<'s> {
    Source {
        body,
        content_type,
        base_url: "https://example.com/",
        format: PageFormat::Text,
        is_cut: false,
        deadline: std::time::Instant::now() + std::time::Duration::from_mins(1),
    }
}

#[test]
fn explains_pages_with_little_text() {
    let scripts =
        "[The page has scripts, which are not run here; in a browser they may show more.]";
    let refresh = "<meta http-equiv=refresh content='0;url=/next'>";
    let next = "[The page redirects to https://example.com/next; fetch that address.]";
    let long = "word ".repeat(60);
    for (body, text) in [
        (
            "<div id=root></div><script>go()</script>".to_owned(),
            scripts.to_owned(),
        ),
        (
            "<noscript>Enable <b>scripts</b>.</noscript><script src=a.js></script>Loading"
                .to_owned(),
            format!("Loading\n\n{scripts}\n\nEnable scripts."),
        ),
        (refresh.to_owned(), next.to_owned()),
        (
            format!("{refresh}<script></script>{long}"),
            long.trim().to_owned(),
        ),
        ("<p>Short.".to_owned(), "Short.".to_owned()),
    ] {
        let read = source(body.as_bytes(), Some("text/html")).readable();

        assert_eq!(read.text, text, "{body}");
    }
}

#[test]
fn converts_all_line_endings() {
    let text = "a\rb\r\nc\x0bd\x0ce\u{85}f\u{2028}g\u{2029}h\ti\u{7}j";

    let readable = source(text.as_bytes(), Some("text/plain; charset=utf-8")).readable();

    assert_eq!(readable.text, "a\nb\nc\nd\ne\nf\ng\nh\tij");
}

#[test]
fn text_and_json_lose_invisible_characters() {
    for (content_type, body, shown) in [
        ("text/plain", "a\u{200b}b\u{202e}c\u{e0041}d", "abcd"),
        (
            "application/json",
            "[\"a\u{200b}b\u{202e}c\u{e0041}d\"]",
            "[\n  \"abcd\"\n]",
        ),
        ("application/xml", "<a>b\u{200b}c</a>", "<a>bc</a>"),
    ] {
        let readable = source(body.as_bytes(), Some(content_type)).readable();

        assert_eq!(readable.text, shown, "{content_type}");
    }
}

#[test]
fn detects_html_without_content_type() {
    for (content_type, text) in [
        (None, "seen"),
        (Some("garbage"), "seen"),
        (Some("application/octet-stream"), "seen"),
        (Some("text/plain"), "<html><p hidden>x</p>seen"),
    ] {
        let readable = source(b"<html><p hidden>x</p>seen", content_type).readable();

        assert_eq!(readable.text, text, "{content_type:?}");
    }
}

#[test]
fn removes_partial_character_at_truncation() {
    let body = "aä".as_bytes();
    let cut = Source {
        is_cut: true,
        ..source(&body[..2], Some("text/plain; charset=utf-8"))
    };

    assert_eq!(cut.readable().text, "a");
}

proptest! {
    #[test]
    fn joined_slices_equal_page(text in "(?s).{0,200}", max_chars in 1_usize..50) {
        let (mut joined, mut offset) = (String::new(), Some(0));
        while let Some(at) = offset {
            let slice = Slice::of(&text, at, NonZeroUsize::new(max_chars).unwrap());
            joined.push_str(&slice.text);
            offset = slice.next_offset;
        }

        prop_assert_eq!(joined, text);
    }
}
