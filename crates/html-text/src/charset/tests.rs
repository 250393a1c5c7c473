use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "table of cases")]
fn detects_declared_and_guessed_encodings() {
    let utf16 = |mark: &[u8], text: &str, big: bool| -> Vec<u8> {
        let units = text.encode_utf16();
        let bytes = units.flat_map(|unit| {
            if big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        });
        mark.iter().copied().chain(bytes).collect()
    };
    let of = |bytes: &[u8]| bytes.to_vec();
    for (bytes, header, text, encoding) in [
        (of(b"plain"), None, "plain", "utf-8"),
        (of(b""), None, "", "utf-8"),
        (of("größe".as_bytes()), None, "größe", "utf-8"),
        (
            of(b"\xEF\xBB\xBF\xC3\xA9"),
            Some("text/html; charset=koi8-r"),
            "é",
            "utf-8",
        ),
        (utf16(b"\xFF\xFE", "aé", false), None, "aé", "utf-16le"),
        (
            utf16(b"\xFE\xFF", "aé", true),
            Some("text/html;charset=utf-8"),
            "aé",
            "utf-16be",
        ),
        (
            utf16(b"", "aé", false),
            Some("text/html; charset=utf-16le"),
            "aé",
            "utf-16le",
        ),
        (
            of(b"caf\xE9 cr\xE8me"),
            Some("text/html; charset=ISO-8859-1"),
            "café crème",
            "windows-1252",
        ),
        (
            of(b"\x80 5"),
            Some("text/html; charset=\"latin1\""),
            "€ 5",
            "windows-1252",
        ),
        (
            of(b"\xCF\xF0"),
            Some("text/html;Charset = 'windows-1251' ; q=1"),
            "Пр",
            "windows-1251",
        ),
        (
            of("<meta charset=gb2312>这是一篇很长的关于茶的文章，写得很好".as_bytes()),
            None,
            "<meta charset=gb2312>这是一篇很长的关于茶的文章，写得很好",
            "utf-8",
        ),
        (
            of(b"<meta charset=gb2312>\xC1\xAA\xCD\xA8"),
            None,
            "<meta charset=gb2312>联通",
            "gbk",
        ),
        (
            of(b"\x93\xFA\x96{"),
            Some("text/html; charset=Shift_JIS"),
            "日本",
            "shift_jis",
        ),
        (
            of(b"\xC6\xFC\xCB\xDC"),
            Some("text/html; charset=euc-jp"),
            "日本",
            "euc-jp",
        ),
        (
            of(b"\x1B$BF|K\\\x1B(B"),
            Some("text/html; charset=iso-2022-jp"),
            "日本",
            "iso-2022-jp",
        ),
        (
            of(b"\xC4\xE3"),
            Some("text/html; charset=gb2312"),
            "你",
            "gbk",
        ),
        (of(b"\xA7A"), Some("text/html; charset=big5"), "你", "big5"),
        (
            of(b"caf\xE9 au lait, cr\xE8me"),
            Some("text/html; charset=klingon"),
            "café au lait, crème",
            "windows-1252",
        ),
        (
            of(b"caf\xE9 au lait, cr\xE8me"),
            Some("text/html; charset=utf-8"),
            "café au lait, crème",
            "windows-1252",
        ),
        (
            of(b"caf\xE9 au lait, cr\xE8me"),
            Some("text/html; charset=iso-2022-kr"),
            "café au lait, crème",
            "windows-1252",
        ),
        (
            of("größe".as_bytes()),
            Some("text/html; charset=latin1"),
            "größe",
            "utf-8",
        ),
        (
            of(b"gr\xC3\xB6\xC3\x9Fe \xE9"),
            Some("text/html; charset=utf-8"),
            "größe \u{fffd}",
            "utf-8",
        ),
        (
            of(b"<meta charset=koi8-r>\xF0"),
            None,
            "<meta charset=koi8-r>П",
            "koi8-r",
        ),
        (
            of(b"<meta charset=koi8-r>\xF0"),
            Some("text/html"),
            "<meta charset=koi8-r>П",
            "koi8-r",
        ),
        (
            of(b"<meta charset=utf-8>\xF0"),
            Some("text/html; charset=koi8-r"),
            "<meta charset=utf-8>П",
            "koi8-r",
        ),
        (
            of(b"<META CONTENT='text/html; charset=koi8-r' http-equiv=Content-Type>\xF0"),
            None,
            "<META CONTENT='text/html; charset=koi8-r' http-equiv=Content-Type>П",
            "koi8-r",
        ),
        (
            of(b"<meta content='text/html; charset=koi8-r'>a"),
            None,
            "<meta content='text/html; charset=koi8-r'>a",
            "utf-8",
        ),
        (
            of(b"<!-- <meta charset=koi8-r> -->a"),
            None,
            "<!-- <meta charset=koi8-r> -->a",
            "utf-8",
        ),
        (
            of(b"<!--><meta charset=koi8-r>\xF0"),
            None,
            "<!--><meta charset=koi8-r>П",
            "koi8-r",
        ),
        (
            of(b"<!DOCTYPE html><p title='<meta charset=koi8-r>'>a"),
            None,
            "<!DOCTYPE html><p title='<meta charset=koi8-r>'>a",
            "utf-8",
        ),
        (
            of(b"<script>'<meta charset=koi8-r>'</script>a"),
            None,
            "<script>'<meta charset=koi8-r>'</script>a",
            "utf-8",
        ),
        (
            of(b"<meta charset=utf-16>\xC3\xA9"),
            None,
            "<meta charset=utf-16>é",
            "utf-8",
        ),
        (
            of(b"<meta charset=x-user-defined>\x80"),
            None,
            "<meta charset=x-user-defined>€",
            "windows-1252",
        ),
        (
            of(b"<meta charset=none><meta charset=koi8-r>\xF0"),
            None,
            "<meta charset=none><meta charset=koi8-r>П",
            "koi8-r",
        ),
        (
            of(b"\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0! \xCA\xE0\xEA \xE4\xE5\xEB\xE0?"),
            None,
            "Привет, мир! Как дела?",
            "windows-1251",
        ),
        (
            of(b"\x93\xFA\x96{\x8C\xEA\x82\xCC\x83e\x83L\x83X\x83g\x82\xC5\x82\xB7"),
            None,
            "日本語のテキストです",
            "shift_jis",
        ),
    ] {
        let decoded = decode(&bytes, header);

        assert_eq!(
            (decoded.text.as_str(), decoded.encoding.as_str()),
            (text, encoding),
            "{header:?}"
        );
    }
}

#[test]
fn ignores_meta_after_1024_bytes() {
    let page = |blanks: usize| {
        [
            &b" ".repeat(blanks)[..],
            b"<meta charset=koi8-r>\xF0\xD2\xC9",
        ]
        .concat()
    };

    assert_eq!(decode(&page(1000), None).encoding, "koi8-r");
    assert_ne!(decode(&page(1010), None).encoding, "koi8-r");
}

#[test]
fn reports_invalid_bytes() {
    let decoded = decode(b"\xFF\xFEa\0\0", None);

    assert_eq!(
        (decoded.text.as_str(), decoded.had_errors),
        ("a\u{fffd}", true)
    );
    assert!(!decode(b"a", None).had_errors);
}

proptest::proptest! {
    #[test]
    fn decodes_arbitrary_bytes(bytes: Vec<u8>, label in "[ -~]{0,20}") {
        let header = format!("text/html; charset={label}");
        let decoded = decode(&bytes, Some(&header));

        proptest::prop_assert!(decoded.text.len() <= bytes.len() * 3 + 3);
    }
}
