//! What is handed on of a page while it is read.

use std::ops::ControlFlow;

use super::{EVENTS_PER_PIECE, read};
use crate::html::{Options, to_markdown, to_markdown_with};

/// The most events that are handed on at once.
fn most_events(page: &str) -> usize {
    let mut most = 0;
    read(page, &Options::new(), |document| {
        most = most.max(document.events.len());
        ControlFlow::Continue(())
    });
    most
}

#[test]
fn a_page_is_handed_on_in_pieces_however_long_it_is() {
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
fn what_is_too_deep_takes_no_memory_for_each_element() {
    let page = "<div>".repeat(3000) + &"<table>".repeat(3000) + &"<select>".repeat(3000);

    assert!(most_events(&page) < 1200);
}

#[test]
fn what_has_to_be_known_as_a_whole_is_handed_on_at_once() {
    let rows = "<tr><td>x<td>y".repeat(EVENTS_PER_PIECE);
    let page = format!("<p>a</p><table>{rows}</table>b");

    let text = to_markdown(&page).text;

    assert!(text.starts_with("a\n\n| x | y |\n| --- | --- |\n| x | y |\n"));
    assert!(text.ends_with("| x | y |\n\nb"));
    assert_eq!(text.lines().count(), EVENTS_PER_PIECE + 5);
}

#[test]
fn a_late_base_tells_where_early_links_lead() {
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
fn nothing_is_read_on_when_the_text_is_as_long_as_it_may_be() {
    let page = "<p>word".repeat(100_000);
    let mut pieces = 0;

    read(&page, &Options::new(), |_| {
        pieces += 1;
        ControlFlow::Break(())
    });

    assert_eq!(pieces, 2, "the first piece, and the end");
}
