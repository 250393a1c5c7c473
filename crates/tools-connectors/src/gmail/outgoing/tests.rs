use mail_parser::MessageParser;
use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::approval::Preview;

use super::*;

fn parse(value: Value) -> Result<Outgoing, ToolError> {
    Outgoing::parse(&serde_json::from_value(value).unwrap())
}

fn decoded(outgoing: &Outgoing) -> Vec<u8> {
    let date: ZonedDateTime = "2026-11-02T10:00:00+01:00[Europe/Berlin]".parse().unwrap();
    let encoded = outgoing.encoded("id-1@example.com", &date, None).unwrap();
    BASE64_URL_SAFE_NO_PAD.decode(encoded).unwrap()
}

#[test]
fn message_reads_back_equal() {
    for (name, subject, body) in [
        ("Ada", "Tea", "Hello\r\nthere\r\n"),
        ("Jörg Bär", "Grüße, 100 %", "Schöne Grüße"),
        (
            "田中さん",
            "会議の件 — 明日",
            "こんにちは。\r\n\r\n.\r\nFrom x",
        ),
        ("Анна", "Привет", &"long ".repeat(500)),
    ] {
        let outgoing = parse(json!({
            "to": format!("{name} <ada@bücher.example>, b@example.com"), "cc": "c@example.com",
            "bcc": "d@example.com", "subject": subject, "body": body,
        }))
        .unwrap();

        let raw = decoded(&outgoing);

        let message = MessageParser::new().parse(&raw).unwrap();
        assert!(raw.is_ascii(), "{name}");
        let to = message.to().unwrap().first().unwrap();
        assert_eq!(to.name(), Some(name));
        assert_eq!(to.address(), Some("ada@xn--bcher-kva.example"));
        assert_eq!(message.subject(), Some(subject));
        assert_eq!(message.body_text(0).unwrap().trim_end(), body.trim_end());
        assert_eq!(
            message.bcc().unwrap().first().unwrap().address(),
            Some("d@example.com")
        );
        assert_eq!(message.message_id(), Some("id-1@example.com"));
        let text = String::from_utf8(raw).unwrap();
        assert!(
            text.contains("Date: Mon, 2 Nov 2026 10:00:00 +0100\r\n"),
            "{text}"
        );
        assert!(text.contains("MIME-Version: 1.0\r\n") && !text.contains("From: "));
        assert!(
            text.to_lowercase()
                .contains("text/plain; charset=\"utf-8\""),
            "{text}"
        );
    }
}

#[test]
fn rejects_injected_headers_and_invalid_recipients() {
    let valid = || json!({"to": "a@example.com", "subject": "s", "body": "b"});
    for (parameter, value) in [
        ("to", json!("a@example.com\r\nBcc: x@example.com")),
        ("cc", json!("a@example.com\nX: y")),
        ("bcc", json!("a@example.com\0")),
        ("subject", json!("a\r\nBcc: x@example.com")),
        ("subject", json!("a\u{7}")),
        ("subject", json!("x".repeat(1001))),
        ("to", json!("")),
        ("to", json!("nobody")),
        ("to", json!("jörg@example.com")),
        ("to", json!(vec!["a@example.com"; 101].join(","))),
        ("cc", json!("a b@example.com")),
        ("body", json!("x".repeat(1024 * 1024 + 1))),
        ("body", json!("a\0b")),
    ] {
        let mut input = valid();
        input[parameter] = value;

        let error = parse(input.clone()).unwrap_err();

        assert_eq!(error.parameter(), Some(parameter), "{parameter} {error}");
    }
    let error = parse(json!({"to": "a@example.com", "subject": " ", "body": ""})).unwrap_err();
    assert_eq!(error.message(), "`body` and `subject` are empty.");
    assert!(
        parse(json!({"to": vec!["a@example.com"; 100].join(","), "subject": "s", "body": ""}))
            .is_ok()
    );
}

#[test]
fn preview_shows_recipients_and_start_of_body() {
    let outgoing = parse(json!({
        "to": "A <a@example.com>, b@example.org", "subject": "s", "body": "x".repeat(2001),
    }))
    .unwrap();

    let preview = outgoing.preview(Some("example.com"));

    assert!(preview.starts_with(
        "To: A <a@example.com>\nTo: b@example.org (outside example.com)\nSubject: s\n\nxx"
    ));
    assert!(preview.ends_with("[… 1 more characters]"));
}

#[test]
fn preview_shows_characters_that_are_sent_but_not_seen() {
    let outgoing =
        parse(json!({"to": "a@example.com", "subject": "s", "body": "a\u{e0041}b\u{3164}\r\nc"}))
            .unwrap();

    let preview = Preview::text(outgoing.preview(None)).to_string();

    assert!(preview.ends_with("a\\u{e0041}b\\u{3164}\nc"), "{preview}");
}

proptest! {
    #[test]
    fn no_field_adds_a_header(name in "\\PC{0,30}", subject in "\\PC{0,80}", body in "(\\PC|\n){0,80}") {
        let input = json!({"to": format!("{name} <a@example.com>"), "subject": subject, "body": format!("b{body}")});
        if let Ok(outgoing) = parse(input) {
            let raw = decoded(&outgoing);
            let message = MessageParser::new().parse(&raw).unwrap();
            let names: Vec<String> =
                message.headers().iter().map(|header| header.name().to_lowercase()).collect();
            for name in &names {
                prop_assert!(["to", "subject", "date", "message-id", "mime-version", "content-type",
                    "content-transfer-encoding"].contains(&name.as_str()), "{names:?}");
            }
            prop_assert!(message.bcc().is_none());
        }
    }
}
