use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn leaf(kind: &str, text: &str) -> Value {
    json!({"mimeType": kind, "body": {"data": BASE64_URL_SAFE_NO_PAD.encode(text)}})
}

fn container(kind: &str, parts: &[Value]) -> Value {
    json!({"mimeType": format!("multipart/{kind}"), "parts": parts})
}

fn extracted(part: Value) -> ExtractedText {
    extract_text(&serde_json::from_value(part).unwrap())
}

fn check(part: &Value, text: &str, format: BodyFormat) {
    let found = extracted(part.clone());

    assert_eq!(
        (found.text.as_str(), found.format),
        (text, format),
        "{part}"
    );
}

#[test]
fn chooses_text_of_containers() {
    let (html, text) = (leaf("text/html", "<p>rich"), leaf("text/plain", "plain"));
    let file = json!({"mimeType": "text/plain", "filename": "a.txt", "body": {"data": "eA"}});
    let both = container("alternative", &[text.clone(), html.clone()]);
    check(&both, "rich", BodyFormat::Html);
    check(
        &container("alternative", &[html.clone(), text.clone()]),
        "rich",
        BodyFormat::Html,
    );
    check(
        &container("mixed", &[both.clone(), file]),
        "rich",
        BodyFormat::Html,
    );
    let two = [text.clone(), leaf("text/plain", "more")];
    check(
        &container("mixed", &two),
        "plain\n\nmore",
        BodyFormat::Plain,
    );
    check(&container("alternative", &two), "more", BodyFormat::Plain);
    let image = json!({"mimeType": "image/png", "body": {"attachmentId": "a", "size": 9}});
    check(
        &container("related", &[html.clone(), image]),
        "rich",
        BodyFormat::Html,
    );
    let signature = leaf("application/pgp-signature", "s");
    check(
        &container("signed", &[text.clone(), signature]),
        "plain",
        BodyFormat::Plain,
    );
    check(
        &container("encrypted", std::slice::from_ref(&text)),
        ENCRYPTED,
        BodyFormat::Plain,
    );
    check(&container("alternative", &[]), "", BodyFormat::None);
    check(&json!({}), "", BodyFormat::None);
    let related = container("related", std::slice::from_ref(&html));
    check(
        &container("alternative", &[text, related]),
        "rich",
        BodyFormat::Html,
    );
}

#[test]
fn empty_html_falls_back_to_plain() {
    let html = leaf(
        "text/html",
        "<style>p{}</style><p style='display:none'>x</p> ",
    );
    let message = container("alternative", &[leaf("text/plain", "plain"), html]);

    check(&message, "plain", BodyFormat::Plain);
}

#[test]
fn removes_hidden_and_invisible_text() {
    let html = "<p>seen<span style='display:none'>hidden</span><script>x()</script>";
    check(&leaf("text/html", html), "seen", BodyFormat::Html);
    check(
        &leaf("text/plain", "a\u{202e}b\u{200b}c\0\r\nd"),
        "abc\nd",
        BodyFormat::Plain,
    );
}

#[test]
fn replaces_part_that_cannot_be_decoded() {
    let broken = json!({"mimeType": "text/plain", "body": {"data": "%%"}});
    let found = extracted(container("mixed", &[broken, leaf("text/plain", "rest")]));

    assert_eq!(found.text, format!("{UNDECODED}\n\nrest"));
    assert_eq!(
        found.warnings,
        ["A part of the message could not be decoded."]
    );
}

#[test]
fn shows_forwarded_messages() {
    let inner = json!({
        "mimeType": "text/plain",
        "headers": [{"name": "From", "value": "Ada <a@example.com>"}, {"name": "Subject", "value": "Tea"}],
        "body": {"data": "aGk"},
    });
    let mut message = json!({"mimeType": "message/rfc822", "parts": [inner]});

    check(
        &message,
        "From: Ada <a@example.com>\nSubject: Tea\n\nhi",
        BodyFormat::Plain,
    );
    for _ in 0..4 {
        message = json!({"mimeType": "message/rfc822", "parts": [message]});
    }
    assert_eq!(
        extracted(message).warnings,
        ["A forwarded message within other ones was omitted."]
    );
}

#[test]
fn limits_depth_and_number_of_parts() {
    let mut deep = Part {
        mime_type: "text/plain".to_owned(),
        ..Part::default()
    };
    for _ in 0..60 {
        deep = Part {
            mime_type: "multipart/mixed".to_owned(),
            parts: vec![deep],
            ..Part::default()
        };
    }
    assert_eq!(extract_text(&deep).warnings.len(), 1);

    let many = vec![leaf("text/plain", "x"); 2000];
    let found = extracted(container("mixed", &many));
    assert_eq!(found.text.matches('x').count(), 999);
    assert_eq!(found.warnings.len(), 1);
}

proptest! {
    #[test]
    fn never_panics_on_any_tree(kinds in proptest::collection::vec(0_usize..8, 1..40), data in "\\PC{0,30}") {
        let names = ["multipart/alternative", "multipart/mixed", "multipart/related", "message/rfc822", "text/html",
            "text/plain", "multipart/signed", ""];
        let mut part = Part::default();
        for kind in kinds {
            let mut parent: Part = serde_json::from_value(leaf(names[kind], &data)).unwrap();
            parent.parts = vec![part.clone(), part];
            parent.parts.truncate(1 + kind % 2);
            part = parent;
            if part.parts.len() > 1 && data.len() > 20 { part.parts.truncate(1); }
            if part.mime_type.is_empty() { part.parts.clear(); }
        }
        let text = extract_text(&part).text;
        prop_assert!(!text.contains('\0'));
    }
}
