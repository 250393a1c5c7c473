//! Hidden content.

use crate::testing::{DocumentBuilder, WORD};

fn run(properties: &str, text: &str) -> String {
    format!("<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>")
}

fn paragraph(properties: &str, runs: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>")
}

fn styled(styles: &str, body: &str) -> String {
    let styles = format!(r#"<w:styles xmlns:w="{WORD}">{styles}</w:styles>"#);
    let builder = DocumentBuilder::docx(body).linked(&[("styles", "styles.xml")]);
    builder.part("word/styles.xml", styles).text()
}

const STYLES: &str = r#"<w:style w:type="paragraph" w:styleId="P"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="PSeen"><w:basedOn w:val="P"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="C"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="character" w:styleId="C2"><w:basedOn w:val="C"/></w:style>
<w:style w:type="character" w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style>
<w:style w:type="table" w:styleId="T"><w:tblStylePr w:type="firstRow"><w:rPr><w:vanish/></w:rPr></w:tblStylePr></w:style>"#;

#[test]
fn styles_hide_text_unless_run_overrides() {
    for (paragraph_style, run_properties, is_seen) in [
        ("", "", true),
        ("P", "", false),
        ("PSeen", "", true),
        ("None", "", true),
        ("T", "", true),
        ("", r#"<w:rStyle w:val="C"/>"#, false),
        ("", r#"<w:rStyle w:val="C2"/>"#, false),
        ("", r#"<w:rStyle w:val="Loop"/>"#, true),
        ("", r#"<w:rStyle w:val="C2"/><w:vanish w:val="0"/>"#, true),
        ("P", r#"<w:vanish w:val="off"/>"#, true),
        ("P", r#"<w:rStyle w:val="C"/>"#, false),
        ("PSeen", "<w:vanish/>", false),
        ("", r#"<w:vanish w:val="on"/>"#, false),
    ] {
        let style = format!(r#"<w:pStyle w:val="{paragraph_style}"/>"#);
        let body = paragraph(&style, &run(run_properties, "text"));

        let text = styled(STYLES, &body);

        let expected = if is_seen { "text\n" } else { "" };
        assert_eq!(text, expected, "{paragraph_style} {run_properties}");
    }
}

#[test]
fn omits_notes_and_boxes_of_hidden_runs() {
    let vanish = "<w:rPr><w:vanish/></w:rPr>";
    let body = format!(
        r#"<w:p><w:r>{vanish}<w:footnoteReference w:id="1"/></w:r><w:r>{vanish}<w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r><w:r><w:t>seen</w:t></w:r></w:p>"#
    );
    let notes = format!(
        r#"<w:footnotes xmlns:w="{WORD}"><w:footnote w:id="1"><w:p><w:r><w:t>note</w:t></w:r></w:p></w:footnote></w:footnotes>"#
    );

    let builder = DocumentBuilder::docx(&body).linked(&[("footnotes", "footnotes.xml")]);
    let text = builder.part("word/footnotes.xml", notes).text();

    assert_eq!(text, "seen\n");
}

#[test]
fn omits_hidden_table_rows() {
    let row = |properties: &str, inside: &str| {
        format!("<w:tr><w:trPr>{properties}</w:trPr><w:tc>{inside}</w:tc></w:tr>")
    };
    let line = |text: &str| paragraph("", &run("", text));
    let inner = row("<w:hidden/>", &line("inner hidden")) + &row("", &line("inner"));
    let rows = row("<w:hidden/>", &line("hidden"))
        + &row(r#"<w:hidden w:val="0"/>"#, &line("seen"))
        + &row("", &(format!("<w:tbl>{inner}</w:tbl>") + &line("end")));

    let text = DocumentBuilder::docx(&format!("<w:tbl>{rows}</w:tbl>")).text();

    assert_eq!(text, "seen\ninner\nend\n");
}
