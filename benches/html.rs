//! Cost of converting a page to text, compared with `htmd` and `html2text`, and its growth with the
//! page size.
//!
//! cargo bench --bench html -- [--quick]

use benches::bar::{self, Bar};
use benches::measure::{Case, Effort, interleaved, interleaved_on_the_wall};
use benches::options::Options;
use htmd::HtmlToMarkdown;
use html_text as html;

/// Page size in bytes.
const PAGE: usize = 700_000;

fn main() {
    let effort = Options::from_command_line().effort;
    let mut bars = against_others(effort);
    bars.extend(linear(effort));
    bar::print(&bars);
}

/// Creates a page of about `bytes` bytes with typical content: scripts, menus, text with links,
/// lists, tables and code.
fn page(bytes: usize) -> String {
    let mut page = "<!DOCTYPE html><html lang=en><head><title>A page</title><style>p { margin: 0 }</style></head><body>\n".to_owned();
    let mut number = 0;
    while page.len() < bytes {
        number += 1;
        page.push_str(&section(number));
    }
    page + "</body></html>\n"
}

fn section(number: usize) -> String {
    let text = "The kettle is filled, put on the fire &amp; taken off as soon as it sings; meanwhile the pot is warmed.";
    format!(
        "<div class=\"section wide\"><h2 id=\"s{number}\">Section {number}</h2>\n\
         <script>let a = \"<p>no text {number}</p>\";</script>\n\
         <p class=\"lead\">{text} <a href=\"/page/{number}\">More of it</a> and <b>bold</b> words.</p>\n\
         <p>{text} {text} <i>Gently</i>, and with <code>care()</code>.</p>\n\
         <ul>\n  <li>one leaf</li>\n  <li>two <em>leaves</em></li>\n  <li>many leaves</li>\n</ul>\n\
         <pre><code class=\"language-rust\">fn brew() {{\n    pour(water);\n}}\n</code></pre>\n\
         <table><thead><tr><th>Leaf</th><th>Minutes</th></tr></thead>\
         <tbody><tr><td>green</td><td>2</td></tr><tr><td>black</td><td>4</td></tr></tbody></table>\n</div>\n"
    )
}

fn words(text: &str) -> Vec<&str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect()
}

fn against_others(effort: Effort) -> Vec<Bar> {
    let page = page(PAGE);
    let skipped = vec!["script", "style", "head", "noscript", "template", "svg"];
    let htmd = HtmlToMarkdown::builder().skip_tags(skipped).build();
    let plain = || {
        let config = html2text::config::plain()
            .no_table_borders()
            .link_footnotes(false);
        config
            .string_from_read(page.as_bytes(), 10_000)
            .expect("the page is readable")
    };
    let markdown = html::to_markdown(&page).text;
    let theirs = htmd.convert(&page).expect("the page is readable");
    assert!(
        words(&markdown) == words(&theirs),
        "htmd extracts different words"
    );
    let text = html::to_text(&page).text;
    assert!(
        words(&text) == words(&plain()),
        "html2text extracts different words"
    );
    let mut cases = [
        Case::new("to_markdown", || html::to_markdown(&page)),
        Case::new("to_text", || html::to_text(&page)),
        Case::new("htmd", || htmd.convert(&page)),
        Case::new("html2text", plain),
    ];
    let measured = interleaved(&mut cases, effort);
    println!("a page of {} KB", page.len() / 1000);
    measured.print();
    vec![
        Bar::ceiling(
            "to_markdown / htmd",
            measured.ratio("to_markdown", "htmd"),
            1.0,
            0.5,
        ),
        Bar::ceiling(
            "to_text / htmd",
            measured.ratio("to_text", "htmd"),
            1.0,
            0.4,
        ),
        Bar::ceiling(
            "to_text / html2text",
            measured.ratio("to_text", "html2text"),
            0.5,
            0.1,
        ),
    ]
}

/// The time must grow linearly with the page size, also for adversarial pages.
fn linear(effort: Effort) -> Vec<Bar> {
    let large = if effort == Effort::Full {
        10_000_000
    } else {
        1_000_000
    };
    let hostile = |piece: &str, bytes: usize| piece.repeat(bytes / piece.len());
    let pieces = [
        "<div>",
        "<p><b id=1><i>",
        "<table><tr><td>x",
        "<ul><li>x",
        "<a href=x>",
    ];
    let mut pages = vec![("a typical page".to_owned(), page(large / 10), page(large))];
    pages.extend(pieces.map(|piece| {
        (
            format!("`{piece}`"),
            hostile(piece, large / 10),
            hostile(piece, large),
        )
    }));
    pages
        .iter()
        .map(|(name, small, large)| per_byte(name, small, large, effort))
        .collect()
}

fn per_byte(name: &str, small: &str, large: &str, effort: Effort) -> Bar {
    let mut cases = [
        Case::new("small", || html::to_markdown(small)),
        Case::new("large", || html::to_markdown(large)),
    ];
    let measured = interleaved_on_the_wall(&mut cases, effort, 5);
    let ratio = measured.ratio("large", "small") / 10.0;
    Bar::ceiling(format!("10 MB / 1 MB, per byte: {name}"), ratio, 2.0, 1.2)
}
