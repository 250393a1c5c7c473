//! Malicious pages.

use std::time::{Duration, Instant};

use crate::{Options, to_markdown, to_markdown_with, to_text, to_text_with};

#[test]
fn reads_endless_repetitions() {
    for piece in [
        "<div>",
        "<b>",
        "<a href=x>",
        "<table>",
        "<p><b>",
        "<p><b id=1><i>",
        "<li>",
        "<ul>",
        "<ul><li>x",
        "<td>",
        "<tr><td>x",
        "<table><tr><td>",
        "</p>",
        "</b>",
        "<blockquote>x",
        "<span>",
        "</x>",
        "<select><option>",
        "<svg>",
        "<math>",
        "<template>",
        "<button>",
        "<dl><dd>",
        "<ruby><rt>",
        "<pre>",
        "<q>",
        "<sup>1",
        "<font><p>",
        "<h1>",
        "<form>",
        "<object>",
        "<!--",
        "<!",
        "<",
        "&",
        "&amp",
        "&#",
        "<a b",
        "<a b='",
        "<script>",
        "<script><!--<script>",
        "--",
        "<title>",
        "<style>",
        "</style",
        "</table>",
        "<b></p>",
        "<code>`",
        "<a href=x><p>y</p></a>",
        "*",
        "x|",
        "<table><tr><td colspan=1000>x",
        "<td rowspan=65534>x",
        "\u{200d}",
        "<div hidden>",
        "<i style=display:none>x",
        "<details><summary>",
        "<input>",
        "<img alt=x>",
        "<br>",
        "<hr>",
        "<frame src=x>",
        "\0",
        "\u{202e}",
        "<li value=9223372036854775807>x",
    ] {
        let page = piece.repeat(30_000 / piece.len().max(4));

        let text = to_text(&page);
        let markdown = to_markdown(&page);

        assert!(text.text.len() <= page.len() * 40, "{piece}");
        assert!(markdown.text.len() <= page.len() * 40, "{piece}");
    }
}

#[test]
fn reads_100_000_attributes() {
    let page = format!("<p {}hidden>x</p><p>y", "a=1 ".repeat(100_000));

    assert_eq!(to_text(&page).text, "y");
}

#[test]
fn deep_elements_stay_hidden() {
    let deep = "<div>".repeat(400);

    for hidden in [
        "<div hidden>secret</div>",
        "<p style=display:none>secret</p>",
        "<b hidden>secret</b>",
        "<template>secret</template>",
    ] {
        let page = format!("{deep}{hidden} seen");

        assert_eq!(to_text(&page).text, "seen", "{hidden}");
    }
}

#[test]
fn pages_that_nest_too_deep_are_truncated() {
    for piece in [
        "<div>",
        "<b>",
        "<q>x",
        "<ul><li>",
        "<table><tr><td>",
        "<svg><g>",
    ] {
        let page = format!("<p>before</p>{}<p>after", piece.repeat(100_000));

        let page = to_text(&page);

        assert!(page.truncated, "{piece}");
        assert!(page.text.starts_with("before"), "{piece}");
        assert!(!page.text.contains("after"), "{piece}");
    }
}

#[test]
fn reads_pages_near_the_limits() {
    let formats: Vec<String> = (0..250).map(|number| format!("<b id={number}>")).collect();
    for page in [
        "<a href=x><b><p>".repeat(5_000),
        "<b><div></b>x</div>".repeat(5_000),
        "<table><b>x<tr>".repeat(5_000),
        "<div>".repeat(480) + &"<p></p>".repeat(5_000),
        formats.concat() + &"<p>x".repeat(5_000),
    ] {
        let page = to_text(&page);

        assert!(!page.truncated, "{}", page.text.len());
    }
}

#[test]
fn slow_pages_end_at_deadline() {
    let names: Vec<String> = (0..200_000).map(|number| format!(" a{number}")).collect();
    let page = format!("x<p{}>y", names.concat());
    let start = Instant::now();
    let options = Options::new().with_deadline(start + Duration::from_millis(100));

    let page = to_text_with(&page, &options);

    assert!(page.truncated && page.text == "x");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn references_do_not_reveal_hidden_fields() {
    for kind in ["hidden", "&#104;idden", "HIDDE&#x4e;", "p&#97;ssword"] {
        let page = format!("<input type={kind} value=secret>seen");

        assert_eq!(to_text(&page).text, "seen", "{kind}");
    }
}

#[test]
fn reads_styles_of_any_size() {
    for piece in [
        "/*",
        "/**/",
        "\\",
        "'",
        "\"x\"",
        "(",
        "url(",
        "url( ",
        "{",
        "{}",
        ";",
        ":",
        "display:none;",
        "font-size:0 ",
        "!",
        "&#58;",
    ] {
        let quote = if piece.contains('"') { '\'' } else { '"' };
        let page = format!("<p style={quote}{}{quote}>x", piece.repeat(50_000));

        let _ = to_text(&page);
    }
}

#[test]
fn spans_and_numbers_of_any_size_are_bounded() {
    let page = "<table><tr><td colspan=1000000000>a<td>b<tr><td rowspan=99999999999999999999>c<td>d</table>";

    let text = to_markdown(page).text;

    assert!(text.len() < 2000, "{}", text.len());
    assert!(to_text(page).text.ends_with("c\td"));
}

#[test]
fn unclosed_constructs_end_with_page() {
    for (page, text) in [
        ("a<!-- never", "a"),
        ("a<script>never", "a"),
        ("a<title>never", "a"),
        ("a<p title='never>b", "a"),
        ("a<p title=never", "a"),
        ("a<textarea>b", "a b"),
        ("a</", "a</"),
        ("a</b", "a"),
        ("a<", "a<"),
        ("<table><tr><td>a<p><b><i>b", "a  b"),
    ] {
        assert_eq!(to_text(page).text.replace('\n', " "), text, "{page}");
    }
}

#[test]
fn limits_truncate_text() {
    let page = "<p>word</p>".repeat(10_000);
    let past = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
    for options in [
        Options::new().with_max_input_bytes(1000),
        Options {
            max_output_bytes: 1000,
            ..Options::new()
        },
        Options {
            max_nodes: 1000,
            ..Options::new()
        },
        Options::new().with_deadline(past),
    ] {
        let (text, markdown) = (
            to_text_with(&page, &options),
            to_markdown_with(&page, &options),
        );

        assert!(text.truncated && markdown.truncated, "{options:?}");
        assert!(
            text.text.starts_with("word\n\nword") && text.text.len() < 3000,
            "{options:?}"
        );
    }
}

#[test]
fn link_around_many_blocks_is_written_once() {
    let address = "x".repeat(2000);
    let page = format!("<a href={address}>{}", "<p>y".repeat(1000));

    assert!(to_markdown(&page).text.len() < 10_000);
}
