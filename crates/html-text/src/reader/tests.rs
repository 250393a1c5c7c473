use std::ops::ControlFlow;

use super::{EVENTS_PER_PIECE, read};
use crate::{Options, to_markdown, to_markdown_with};

/// Returns the largest number of events in one chunk.
fn most_events(page: &str) -> usize {
    let mut most = 0;
    read(page, &Options::new(), |document| {
        most = most.max(document.events.len());
        ControlFlow::Continue(())
    });
    most
}

#[test]
fn passes_long_pages_in_chunks() {
    for piece in [
        "<div>",
        "<div>x",
        "<p>x</p>",
        "<li>",
        "<a href=x>y",
        "<h1><b>x",
        "<table><tr><td>x</table>",
        "<pre>x</pre>",
        "<select><option>x</select>",
        "<svg><g>",
    ] {
        let page = piece.repeat(50_000);

        assert!(most_events(&page) < EVENTS_PER_PIECE + 600, "{piece}");
    }
}

#[test]
fn deep_elements_use_no_memory() {
    let page = "<div>".repeat(3000) + &"<table>".repeat(3000) + &"<select>".repeat(3000);

    assert!(most_events(&page) < 1200);
}

#[test]
fn passes_tables_in_one_chunk() {
    let rows = "<tr><td>x<td>y".repeat(EVENTS_PER_PIECE);
    let page = format!("<p>a</p><table>{rows}</table>b");

    let text = to_markdown(&page).text;

    assert!(text.starts_with("a\n\n| x | y |\n| --- | --- |\n| x | y |\n"));
    assert!(text.ends_with("| x | y |\n\nb"));
    assert_eq!(text.lines().count(), EVENTS_PER_PIECE + 5);
}

#[test]
fn late_base_applies_to_earlier_links() {
    let options = Options::new().with_base_url("https://a.example/b/");
    let links = "<p><a href=c>x</a>".repeat(EVENTS_PER_PIECE);
    for (base, leads_to) in [
        ("<BaSe href=/d/>", "https://a.example/d/c"),
        ("<basement href=/d/>", "https://a.example/b/c"),
    ] {
        let text = to_markdown_with(&format!("{links}{base}"), &options).text;

        let expected = vec![format!("[x]({leads_to})"); EVENTS_PER_PIECE].join("\n\n");
        assert!(text == expected, "{base}");
    }
}

#[test]
fn stops_reading_at_output_limit() {
    let page = "<p>word".repeat(100_000);
    let mut pieces = 0;

    read(&page, &Options::new(), |_| {
        pieces += 1;
        ControlFlow::Break(())
    });

    assert_eq!(pieces, 2, "first chunk and end");
}
