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

fn check(part: &Value, text: &str) {
    assert_eq!(extracted(part.clone()).text, text, "{part}");
}

#[test]
fn chooses_text_of_containers() {
    let (html, text) = (leaf("text/html", "<p>rich"), leaf("text/plain", "plain"));
    let file = json!({"mimeType": "text/plain", "filename": "a.txt", "body": {"data": "eA"}});
    let both = container("alternative", &[text.clone(), html.clone()]);
    check(&both, "rich");
    check(
        &container("alternative", &[html.clone(), text.clone()]),
        "rich",
    );
    check(&container("mixed", &[both.clone(), file]), "rich");
    let two = [text.clone(), leaf("text/plain", "more")];
    check(&container("mixed", &two), "plain\n\nmore");
    check(&container("alternative", &two), "more");
    let image = json!({"mimeType": "image/png", "body": {"attachmentId": "a", "size": 9}});
    check(&container("related", &[html.clone(), image]), "rich");
    let signature = leaf("application/pgp-signature", "s");
    check(&container("signed", &[text.clone(), signature]), "plain");
    check(
        &container("encrypted", std::slice::from_ref(&text)),
        ENCRYPTED,
    );
    check(&container("alternative", &[]), "");
    check(&json!({}), "");
    let related = container("related", std::slice::from_ref(&html));
    check(&container("alternative", &[text, related]), "rich");
}

#[test]
fn empty_html_falls_back_to_plain() {
    let html = leaf(
        "text/html",
        "<style>p{}</style><p style='display:none'>x</p> ",
    );
    let message = container("alternative", &[leaf("text/plain", "plain"), html]);

    check(&message, "plain");
}

#[test]
fn removes_hidden_and_invisible_text() {
    let html = "<p>seen<span style='display:none'>hidden</span><script>x()</script>";
    check(&leaf("text/html", html), "seen");
    check(&leaf("text/plain", "a\u{202e}b\u{200b}c\0\r\nd"), "abc\nd");
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

    check(&message, "From: Ada <a@example.com>\nSubject: Tea\n\nhi");
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

#[test]
fn decodes_base64_variants() {
    for (data, bytes) in [
        ("", &b""[..]),
        ("aGVsbG8", b"hello"),
        ("aGVsbG8=", b"hello"),
        ("aGVs\r\n bG8=", b"hello"),
        ("--__", b"\xfb\xef\xff"),
        ("++//", b"\xfb\xef\xff"),
        ("aGVsbG9", b"hello"),
    ] {
        assert_eq!(decode_body(data).as_deref(), Ok(bytes), "{data}");
    }
    for data in ["a", "a%b", "ä", "====", "aGVsb=G8"] {
        assert_eq!(decode_body(data), Err(InvalidBody), "{data}");
    }
}

#[test]
fn decodes_charsets() {
    let japanese = b"\x1b$B$3$s\x1b(B";
    for (bytes, content_type, text) in [
        ("こん".as_bytes(), "text/plain; charset=ISO-2022-JP", "こん"),
        (&japanese[..], "text/plain; charset=\"iso-2022-jp\"", "こん"),
        (
            b"caf\xe9 \x80",
            "text/plain; charset=windows-1252",
            "café €",
        ),
        (b"caf\xe9", "text/plain; charset=iso-8859-1", "café"),
        (
            b"\xcf\xf0\xe8\xe2\xe5\xf2",
            "text/plain; charset=windows-1251",
            "Привет",
        ),
        (
            b"\xef\xbb\xbfplain",
            "text/plain; charset=us-ascii",
            "plain",
        ),
        (b"plain", "", "plain"),
    ] {
        let content_type = Some(content_type).filter(|value| !value.is_empty());

        let decoded = decode_text(bytes.to_vec(), content_type);
        assert_eq!(decoded, text, "{content_type:?}");
    }
}

#[test]
fn decodes_18_charsets() {
    let charsets: [(&str, &[u8], &str); 18] = [
        ("utf-8", b"\x47\x72\xc3\xbc\xc3\x9f\x65", "Grüße"),
        ("iso-8859-1", b"\x47\x72\xfc\xdf\x65", "Grüße"),
        ("iso-8859-2", b"\x5a\x61\xbf\xf3\xb3\xe6", "Zażółć"),
        ("iso-8859-5", b"\xbf\xe0\xd8\xd2\xd5\xe2", "Привет"),
        (
            "iso-8859-7",
            b"\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1",
            "Καλημέρα",
        ),
        ("iso-8859-15", b"\x31\x30\x20\xa4", "10 €"),
        ("windows-1250", b"\x50\xf8\xed\x6c\x69\x9a", "Příliš"),
        ("windows-1251", b"\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"),
        ("windows-1252", b"\x93\x63\x61\x66\xe9\x94", "“café”"),
        (
            "windows-1253",
            b"\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1",
            "Καλημέρα",
        ),
        (
            "windows-1254",
            b"\x47\xfc\x6e\x61\x79\x64\xfd\x6e",
            "Günaydın",
        ),
        ("koi8-r", b"\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"),
        (
            "shift_jis",
            b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd",
            "こんにちは",
        ),
        (
            "euc-jp",
            b"\xa4\xb3\xa4\xf3\xa4\xcb\xa4\xc1\xa4\xcf",
            "こんにちは",
        ),
        (
            "iso-2022-jp",
            b"\x1b\x24\x42\x24\x33\x24\x73\x24\x4b\x24\x41\x24\x4f\x1b\x28\x42",
            "こんにちは",
        ),
        ("gbk", b"\xc4\xe3\xba\xc3", "你好"),
        ("big5", b"\xa7\x41\xa6\x6e", "你好"),
        (
            "euc-kr",
            b"\xbe\xc8\xb3\xe7\xc7\xcf\xbc\xbc\xbf\xe4",
            "안녕하세요",
        ),
    ];
    for (charset, bytes, text) in charsets {
        let content_type = format!("text/plain; charset={charset}");

        assert_eq!(
            decode_text(bytes.to_vec(), Some(&content_type)),
            text,
            "{charset}"
        );
        // Gmail converts the body, and keeps the header.
        let converted = decode_text(text.as_bytes().to_vec(), Some(&content_type));
        assert_eq!(converted, text, "{charset}");
    }
}

proptest! {
    #[test]
    fn decodes_all_bytes(bytes: Vec<u8>, content_type in "(text/(html|plain); charset=[a-z0-9-]{0,12})?") {
        let data = LENIENT.encode(&bytes);

        prop_assert_eq!(decode_body(&data), Ok(bytes.clone()));
        let _ = decode_text(bytes, Some(&content_type));
    }
}
