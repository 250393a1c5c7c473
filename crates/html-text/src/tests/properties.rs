//! Properties of the conversion of any page.

use proptest::prelude::*;

use crate::{Options, to_markdown_with, to_text, to_text_with};

/// Returns a valid or invalid fragment of a page.
fn piece() -> impl Strategy<Value = String> {
    let tags = prop::sample::select(vec![
        "p",
        "div",
        "b",
        "i",
        "a",
        "a href=/x",
        "ul",
        "ol start=5",
        "li",
        "table",
        "tr",
        "td",
        "th colspan=3",
        "td rowspan=2",
        "pre",
        "code",
        "h2",
        "blockquote",
        "br",
        "hr",
        "img alt=cat",
        "span",
        "select",
        "option",
        "option selected",
        "dl",
        "dt",
        "dd",
        "svg",
        "math",
        "button",
        "details",
        "summary",
        "sup",
        "q",
        "ruby",
        "rt",
        "caption",
        "tbody",
        "template",
        "script",
        "style",
        "title",
        "textarea",
        "p hidden",
        "div style=display:none",
        "b hidden",
        "plaintext",
        "frameset",
        "object",
        "font",
        "x-y",
        "input value=v",
        "form",
        "body",
    ]);
    prop_oneof![
        4 => (tags.clone(), any::<bool>()).prop_map(|(tag, closes)| {
            let name = tag.split(' ').next().unwrap_or_default();
            if closes { format!("</{name}>") } else { format!("<{tag}>") }
        }),
        2 => "[a-z ]{1,8}",
        1 => "\\PC{0,6}",
        1 => prop::sample::select(vec!["&amp;", "&#0;", "&", "<", "<!--", "-->", "<![CDATA[", "]]>", "\0", "*", "`", "|", "\u{202e}", "\u{1b}[0m"])
            .prop_map(str::to_owned),
    ]
}

fn page() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn output_has_no_control_characters(page in page()) {
        let options = Options::new().with_base_url("https://a.org/b");
        for text in [to_text(&page).text, to_markdown_with(&page, &options).text] {
            let odd = text.chars().find(|letter| letter.is_control() && !matches!(letter, '\n' | '\t'));
            prop_assert_eq!(odd, None);
            prop_assert_eq!(text.trim_end(), &text);
        }
    }

    #[test]
    fn truncated_text_is_prefix_of_full_text(page in page(), bytes in 0_usize..80) {
        let whole = to_text(&page);
        let options = Options { max_output_bytes: bytes, ..Options::new() };
        let cut = to_text_with(&page, &options);

        prop_assert!(cut.text.len() <= bytes);
        prop_assert_eq!(cut.truncated, whole.text.len() > bytes || cut.truncated);
        prop_assert!(whole.text.starts_with(cut.text.trim_end()));
    }

    #[test]
    fn visible_words_keep_order(
        parts in prop::collection::vec(("[a-z]{1,9}", 0_usize..12), 1..40),
    ) {
        let shapes = [
            ("<p>", "</p>"), ("<div><b>", "</b></div>"), ("<ul><li>", "</ul>"), ("<h2>", "</h2>"), ("<table><tr><td>x<td>", "</table>"),
            ("<blockquote>", "</blockquote>"), ("<pre>", "</pre>"), ("<a href=/>", "</a> "), ("<i> ", " </i>"), ("<ol><li><p>", "</ol>"),
            (" <code>", "</code> "), ("<table><tr><td><ul><li>", "</table>"),
        ];
        let pieces = parts.iter().flat_map(|(word, shape)| {
            let (before, after) = shapes[*shape];
            [before, word, after, " "]
        });
        let page: String = pieces.collect();
        let expected: Vec<&str> = parts.iter().map(|(word, _)| word.as_str()).collect();
        for text in [to_text(&page).text, to_markdown_with(&page, &Options::new()).text] {
            let mut words = text.split(|letter: char| !letter.is_ascii_lowercase()).filter(|word| !word.is_empty());
            for word in &expected {
                prop_assert!(words.any(|found| found == *word), "{word} is not in {text:?}");
            }
        }
    }
}
