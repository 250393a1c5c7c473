use std::time::{Duration, Instant};

use super::*;

const SENTENCE: &str = "Some say, and others doubt, that a long sentence with commas, such as this one, tells an article from a menu. ";

fn around(article: &str) -> String {
    let links = "<li><a href=/other>Another page</a></li>".repeat(20);
    format!(
        "<html lang=en><title>Sentences</title><meta name=description content=Long><body><nav class=menu><ul>{links}</ul></nav>\
         <div class=sidebar><ul>{links}</ul></div><div id=content>{article}</div><footer>Imprint</footer>"
    )
}

#[test]
fn omits_navigation_and_footer() {
    let text = SENTENCE.repeat(5);
    let page = around(&format!(
        "<h2>First</h2><p>{text}</p><p><b>{text}</b></p><p><a href=x>{SENTENCE}</a></p><p>{text}</p>"
    ));

    let article = article(&page, &Options::new().with_base_url("https://a.org/b/")).unwrap();

    assert_eq!(article.text.matches("Some say").count(), 16);
    assert!(
        !article.text.contains("Another page") && !article.text.contains("Imprint"),
        "{}",
        article.text
    );
    assert!(article.text.contains("](https://a.org/b/x)"));
    assert_eq!(article.title, "Sentences");
    assert_eq!(article.language.as_deref(), Some("en"));
    assert_eq!(article.description.as_deref(), Some("Long"));
}

#[test]
fn omits_hidden_text() {
    let text = SENTENCE.repeat(5);
    let page = around(&format!(
        "<p>{text}<span style='display:none'>secret</span></p><p hidden>secret {text}</p><div style='opacity:0'><p>secret</div><p>{text}"
    ));

    let article = article_text(&page, &Options::new()).unwrap();

    assert!(!article.text.contains("secret"), "{}", article.text);
    assert_eq!(article.text.matches("Some say").count(), 10);
}

#[test]
fn page_without_text_has_no_article() {
    assert_eq!(article("", &Options::new()), None);
    assert_eq!(article("<p hidden>x", &Options::new()), None);
}

#[test]
fn oversized_page_has_no_article() {
    assert_eq!(
        article(&format!("<p>{}", SENTENCE.repeat(30_000)), &Options::new()),
        None
    );
    assert_eq!(article(&"<p>x".repeat(40_000), &Options::new()), None);
}

#[test]
fn deep_pages_finish_in_time() {
    let text = SENTENCE.repeat(10);
    for piece in [
        "<div>",
        "<b>",
        "<p><b>",
        "<a href=x>",
        "<table><tr><td>",
        "<font color=x>",
        "<p><b id=1><i id=2>",
        "<span>",
        "<blockquote>",
    ] {
        let page = format!("{}<p>{text}", piece.repeat(4000));
        let since = Instant::now();

        let _ = article(&page, &Options::new());

        assert!(
            since.elapsed() < Duration::from_secs(20),
            "{piece}: {:?}",
            since.elapsed()
        );
    }
}
