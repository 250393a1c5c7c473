//! Paragraphs and their content.

use crate::testing::DocumentBuilder;

fn paragraph(text: &str) -> String {
    format!("<w:p>{text}</w:p>")
}

fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

fn text_of(body: &str) -> String {
    DocumentBuilder::docx(body).text()
}

#[test]
fn blank_lines_separate_paragraphs() {
    let body = paragraph(&(run("Hel") + &run("lo "))) + &paragraph("") + &paragraph(&run("world"));

    assert_eq!(text_of(&body), "Hello\n\nworld\n");
}

#[test]
fn converts_content_of_paragraphs() {
    for (inside, expected) in [
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>", "a\tb"),
        ("<w:r><w:t>a</w:t><w:ptab/><w:t>b</w:t></w:r>", "a\tb"),
        (
            "<w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:cr/><w:t>c</w:t></w:r>",
            "a\nb\nc",
        ),
        (
            "<w:r><w:t>a</w:t><w:br w:type=\"page\"/><w:t>b</w:t></w:r>",
            "a\nb",
        ),
        (
            "<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:r>",
            "a-b",
        ),
        ("<w:r><w:t>a</w:t><w:softHyphen/><w:t>b</w:t></w:r>", "ab"),
        (
            "<w:r><w:t>a</w:t><w:lastRenderedPageBreak/><w:t>b</w:t></w:r>",
            "ab",
        ),
        (
            "<w:r><w:sym w:font=\"Wingdings\" w:char=\"F0FC\"/><w:t>done</w:t></w:r>",
            "☑done",
        ),
        (
            "<w:r><w:sym w:font=\"MS Gothic\" w:char=\"2610\"/></w:r>",
            "☐",
        ),
        (
            "<w:r><w:sym w:font=\"Symbol\" w:char=\"F062\"/></w:r>",
            "\u{fffd}",
        ),
        ("<w:r><w:t>a &amp; b &lt; &#233;</w:t></w:r>", "a & b < é"),
        ("<w:r><w:t><![CDATA[a <b>]]></w:t></w:r>", "a <b>"),
        ("<w:r><w:t>a\nb</w:t></w:r>", "a b"),
        (
            "<w:ins w:id=\"1\"><w:r><w:t>kept</w:t></w:r></w:ins>",
            "kept",
        ),
        (
            "<w:moveTo w:id=\"1\"><w:r><w:t>kept</w:t></w:r></w:moveTo>",
            "kept",
        ),
        (
            "<w:smartTag><w:smartTagPr><w:attr w:name=\"x\" w:val=\"y\"/></w:smartTagPr><w:r><w:t>kept</w:t></w:r></w:smartTag>",
            "kept",
        ),
        (
            "<w:customXml><w:r><w:t>kept</w:t></w:r></w:customXml>",
            "kept",
        ),
        ("<w:bdo><w:r><w:t>kept</w:t></w:r></w:bdo>", "kept"),
        (
            "<w:ruby><w:rubyPr/><w:rt><w:r><w:t>kan</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby>",
            "漢",
        ),
    ] {
        assert_eq!(
            text_of(&paragraph(inside)),
            format!("{expected}\n"),
            "{inside}"
        );
    }
}

#[test]
fn omits_deleted_and_hidden_content() {
    for inside in [
        "<w:del w:id=\"1\"><w:r><w:delText>gone</w:delText></w:r></w:del>",
        "<w:moveFrom w:id=\"1\"><w:r><w:t>gone</w:t></w:r></w:moveFrom>",
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>",
        "<w:r><w:instrText>PAGE</w:instrText></w:r>",
        "<w:commentRangeStart w:id=\"0\"/><w:commentRangeEnd w:id=\"0\"/><w:r><w:commentReference w:id=\"0\"/></w:r>",
        "<w:bookmarkStart w:id=\"0\" w:name=\"x\"/><w:proofErr w:type=\"spellStart\"/>",
    ] {
        let body = paragraph(&(run("a") + inside + &run("b")));

        assert_eq!(text_of(&body), "ab\n", "{inside}");
    }
}

#[test]
fn disabled_vanish_shows_text() {
    let inside = "<w:r><w:rPr><w:vanish w:val=\"false\"/></w:rPr><w:t>seen</w:t></w:r>";

    assert_eq!(text_of(&paragraph(inside)), "seen\n");
}

#[test]
fn fields_show_result_without_instruction() {
    let field = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let field = [
        field("begin"),
        "<w:r><w:instrText>DOCPROPERTY x</w:instrText></w:r>".to_owned(),
        field("separate"),
        run("result"),
        field("end"),
        run("!"),
    ];
    let simple = "<w:fldSimple w:instr=\"PAGE\"><w:r><w:t>7</w:t></w:r></w:fldSimple>";

    assert_eq!(text_of(&paragraph(&field.concat())), "result!\n");
    assert_eq!(text_of(&paragraph(simple)), "7\n");
}

#[test]
fn only_web_links_show_address() {
    let links = [
        ("hyperlink", "https://example.org/a"),
        ("hyperlink", "file:///etc/passwd"),
        ("hyperlink", "mailto:a@example.org"),
    ];
    for (link, text, expected) in [
        ("r:id=\"r1\"", "here", "[here](https://example.org/a)"),
        (
            "r:id=\"r1\"",
            "https://example.org/a",
            "https://example.org/a",
        ),
        ("r:id=\"r2\"", "here", "here"),
        ("r:id=\"r3\"", "a@example.org", "a@example.org"),
        ("r:id=\"r9\"", "here", "here"),
        ("w:anchor=\"top\"", "here", "here"),
        ("r:id=\"r1\"", "", ""),
    ] {
        let link = format!("<w:hyperlink {link}>{}</w:hyperlink>", run(text));
        let body = paragraph(&(run("see ") + &link + &run("!")));

        let text = DocumentBuilder::docx(&body).linked(&links).text();

        assert_eq!(text, format!("see {expected}!\n"), "{link}");
    }
}

#[test]
fn text_box_follows_paragraph_once() {
    let content = "<w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p><w:p><w:r><w:t>twice</w:t></w:r></w:p></w:txbxContent>";
    let body = paragraph(&format!(
        "{}<w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><wps:txbx>{content}</wps:txbx></mc:Choice><mc:Fallback><w:pict><v:textbox>{content}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>{}",
        run("before"),
        run(" after"),
    ));

    assert_eq!(text_of(&body), "before after\n\nboxed\n\ntwice\n");
}

#[test]
fn reads_vml_text_box() {
    let body = paragraph(
        "<w:r><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>old</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r>",
    );

    assert_eq!(text_of(&body), "old\n");
}

#[test]
fn reads_content_controls() {
    let inner = paragraph(&run("block"));
    let body = format!(
        "<w:sdt><w:sdtPr><w:alias w:val=\"x\"/></w:sdtPr><w:sdtContent>{inner}</w:sdtContent></w:sdt><w:p><w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt></w:p>",
        run("inline")
    );

    assert_eq!(text_of(&body), "block\n\ninline\n");
}

#[test]
fn equations_are_one_line() {
    let text = |text: &str| format!("<m:r><m:t>{text}</m:t></m:r>");
    for (inside, expected) in [
        (text("a+b"), "a+b"),
        (
            format!(
                "<m:f><m:num>{}</m:num><m:den>{}</m:den></m:f>",
                text("a+b"),
                text("2")
            ),
            "(a+b)/(2)",
        ),
        (
            format!(
                "<m:sSup><m:e>{}</m:e><m:sup>{}</m:sup></m:sSup>",
                text("x"),
                text("2")
            ),
            "x^(2)",
        ),
        (
            format!(
                "<m:sSub><m:e>{}</m:e><m:sub>{}</m:sub></m:sSub>",
                text("x"),
                text("ij")
            ),
            "x_(ij)",
        ),
        (
            format!("<m:rad><m:deg/><m:e>{}</m:e></m:rad>", text("2")),
            "√(2)",
        ),
        (format!("<m:d><m:e>{}</m:e></m:d>", text("x")), "(x)"),
        (
            format!(
                "<m:nary><m:naryPr><m:chr m:val=\"∑\"/></m:naryPr><m:e>{}</m:e></m:nary>",
                text("i")
            ),
            "∑i",
        ),
    ] {
        let body = paragraph(&format!("<m:oMath>{inside}</m:oMath>"));

        assert_eq!(text_of(&body), format!("{expected}\n"), "{inside}");
    }
}

#[test]
fn numbers_notes_by_first_reference() {
    let notes = |kind: &str, notes: &[(&str, &str)]| {
        let of = |(id, text): &(&str, &str)| {
            format!(
                "<w:{kind} w:id=\"{id}\"><w:p><w:r><w:{kind}Ref/><w:t>{text}</w:t></w:r></w:p></w:{kind}>"
            )
        };
        let all: String = notes.iter().map(of).collect();
        format!(
            "<w:{kind}s xmlns:w=\"{}\"><w:{kind} w:type=\"separator\" w:id=\"-1\"><w:p><w:r><w:separator/></w:r></w:p></w:{kind}>{all}</w:{kind}s>",
            crate::testing::WORD
        )
    };
    let call = |kind: &str, id: &str| format!("<w:r><w:{kind}Reference w:id=\"{id}\"/></w:r>");
    let body = paragraph(
        &[
            run("a"),
            call("footnote", "5"),
            run(" b"),
            call("endnote", "5"),
            run(" c"),
            call("footnote", "2"),
        ]
        .concat(),
    );

    let text = DocumentBuilder::docx(&body)
        .linked(&[("footnotes", "footnotes.xml"), ("endnotes", "endnotes.xml")])
        .part(
            "word/footnotes.xml",
            notes(
                "footnote",
                &[("2", "third"), ("5", "first"), ("6", "never called")],
            ),
        )
        .part("word/endnotes.xml", notes("endnote", &[("5", "second")]))
        .text();

    assert_eq!(
        text,
        "a[^1] b[^2] c[^3]\n\n[^1]: first\n[^2]: second\n[^3]: third\n"
    );
}

#[test]
fn headers_and_footers_come_last_without_duplicates() {
    let part = |name: &str, text: &str| {
        format!(
            "<w:{name} xmlns:w=\"{}\"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{name}>",
            crate::testing::WORD
        )
    };

    let text = DocumentBuilder::docx(&paragraph(&run("body")))
        .linked(&[
            ("footer", "footer1.xml"),
            ("header", "header1.xml"),
            ("header", "header2.xml"),
            ("header", "header3.xml"),
        ])
        .part("word/header1.xml", part("hdr", "Letterhead"))
        .part("word/header2.xml", part("hdr", "Letterhead"))
        .part("word/header3.xml", part("hdr", ""))
        .part("word/footer1.xml", part("ftr", "Page"))
        .text();

    assert_eq!(text, "body\n\n[header] Letterhead\n[footer] Page\n");
}

#[test]
fn document_without_text_is_empty() {
    assert_eq!(text_of("<w:p/><w:sectPr/>"), "");
}
