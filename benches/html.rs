//! How long does a page of 0.7 MB take to become Markdown, compared with `htmd`?
//!
//! cargo bench -p benches --bench html -- [--quick]

use benches::bar::{self, Bar};
use benches::measure::{Case, interleaved};
use benches::options::Options;
use htmd::HtmlToMarkdown;
use html_text as html;

/// Page size in bytes.
const PAGE: usize = 700_000;

fn main() {
    let effort = Options::from_command_line().effort;
    let page = page(PAGE);
    let skipped = vec!["script", "style", "head", "noscript", "template", "svg"];
    let htmd = HtmlToMarkdown::builder().skip_tags(skipped).build();
    let markdown = html::to_markdown(&page).text;
    let theirs = htmd.convert(&page).expect("the page is readable");
    assert!(
        words(&markdown) == words(&theirs),
        "htmd extracts different words"
    );
    let mut cases = [
        Case::new("to_markdown", || html::to_markdown(&page)),
        Case::new("htmd", || htmd.convert(&page)),
    ];
    let measured = interleaved(&mut cases, effort);
    measured.print();
    let ratio = measured.ratio("to_markdown", "htmd");
    bar::print(&[Bar::ceiling("to_markdown / htmd", ratio, 1.0)]);
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
