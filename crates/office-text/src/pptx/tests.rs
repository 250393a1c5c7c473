use std::io::Cursor;

use super::*;
use crate::document_to_text;
use crate::testing::{DocumentBuilder, relationships};

const NAMES: &str = r#"xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006""#;

fn shape(place: &str, paragraphs: &str) -> String {
    format!(
        "<p:sp><p:nvSpPr><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"
    )
}

fn line(text: &str) -> String {
    format!("<a:p><a:r><a:t>{text}</a:t></a:r></a:p>")
}

fn slide(shapes: &str) -> String {
    format!("<p:sld {NAMES}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>")
}

/// Returns a presentation with slides in the given order.
fn builder(slides: &[&str], order: &[usize]) -> DocumentBuilder {
    let ids: Vec<String> = order
        .iter()
        .map(|number| format!(r#"<p:sldId id="{}" r:id="r{number}"/>"#, 255 + number))
        .collect();
    let ids = ids.concat();
    let names: Vec<String> = (1..=slides.len())
        .map(|at| format!("slides/s{at}.xml"))
        .collect();
    let links: Vec<(&str, &str)> = names.iter().map(|name| ("slide", name.as_str())).collect();
    let mut builder = DocumentBuilder::of("presentationml.presentation", "ppt/presentation.xml")
        .part(
            "ppt/presentation.xml",
            format!("<p:presentation {NAMES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>"),
        )
        .part("ppt/_rels/presentation.xml.rels", relationships(&links));
    for (name, text) in names.iter().zip(slides) {
        builder = builder.part(&format!("ppt/{name}"), *text);
    }
    builder
}

fn text_of(shapes: &str) -> String {
    builder(&[&slide(shapes)], &[1]).text()
}

#[test]
fn slides_are_in_presentation_order() {
    let [a, b, c] = ["a", "b", "c"].map(|text| slide(&shape("", &line(text))));

    let text = builder(&[&a, &b, &c], &[3, 1]).text();

    assert_eq!(text, "# Slide 1\n\nc\n\n# Slide 2\n\na\n");
}

#[test]
fn omits_hidden_shapes_and_groups() {
    let named = |hidden: &str, text: &str| {
        format!(
            r#"<p:sp><p:nvSpPr><p:cNvPr id="1" hidden="{hidden}"/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody>{}</p:txBody></p:sp>"#,
            line(text)
        )
    };
    let group = format!(
        r#"<p:grpSp><p:nvGrpSpPr><p:cNvPr id="2" hidden="true"/></p:nvGrpSpPr>{}{}</p:grpSp>"#,
        shape("", &line("grouped")),
        named("0", "grouped too"),
    );

    let text = text_of(
        &[
            &named("1", "unseen"),
            &group,
            &named("0", "seen"),
            &shape("", &line("more")),
        ]
        .map(String::as_str)
        .concat(),
    );

    assert_eq!(text, "# Slide 1: seen\n\nmore\n");
}

#[test]
fn title_comes_first() {
    for place in ["title", "ctrTitle"] {
        let title = shape(
            &format!("<p:ph type=\"{place}\"/>"),
            &(line("Big") + &line("Plans")),
        );

        let text = text_of(&(shape("<p:ph idx=\"1\"/>", &line("body")) + &title));

        assert_eq!(text, "# Slide 1: Big Plans\n\nbody\n");
    }
}

#[test]
fn second_title_is_ordinary_text() {
    let title = |text: &str| shape("<p:ph type=\"title\"/>", &line(text));

    assert_eq!(text_of(&(title("a") + &title("b"))), "# Slide 1: a\n\nb\n");
}

#[test]
fn paragraphs_are_indented_by_level() {
    let deep = "<a:p><a:pPr lvl=\"2\"><a:buNone/></a:pPr><a:r><a:t>deep</a:t></a:r></a:p>";

    assert_eq!(
        text_of(&shape("", &(line("top") + deep))),
        "# Slide 1\n\ntop\n    deep\n"
    );
}

#[test]
fn reads_breaks_and_fields() {
    let paragraph =
        "<a:p><a:r><a:t>a</a:t></a:r><a:br/><a:fld type=\"datetime\"><a:t>b</a:t></a:fld></a:p>";

    assert_eq!(text_of(&shape("", paragraph)), "# Slide 1\n\na\nb\n");
}

#[test]
fn omits_numbers_dates_and_footers() {
    let margins =
        ["sldNum", "dt", "ftr"].map(|kind| shape(&format!("<p:ph type=\"{kind}\"/>"), &line("x")));

    assert_eq!(text_of(&margins.concat()), "# Slide 1\n");
}

#[test]
fn table_rows_are_lines_with_tabs() {
    let cell = |text: &str| format!("<a:tc><a:txBody>{text}</a:txBody></a:tc>");
    let row = |cells: &[String]| format!("<a:tr>{}</a:tr>", cells.concat());
    let table = format!(
        "<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{}{}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>",
        row(&[cell(&line("a")), cell(&(line("b") + &line("c")))]),
        row(&[cell(&line("d")), cell("<a:p/>")]),
    );

    let text = text_of(&(shape("", &line("above")) + &table + &shape("", &line("below"))));

    assert_eq!(text, "# Slide 1\n\nabove\n\na\tb c\nd\n\nbelow\n");
}

#[test]
fn reads_shapes_in_groups() {
    let group = format!(
        "<p:grpSp><p:grpSp>{}</p:grpSp></p:grpSp>",
        shape("", &line("inside"))
    );

    assert_eq!(text_of(&group), "# Slide 1\n\ninside\n");
}

#[test]
fn reads_choice_without_fallback() {
    let both = format!(
        "<mc:AlternateContent><mc:Choice>{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>",
        shape("", &line("new")),
        shape("", &line("old"))
    );

    assert_eq!(text_of(&both), "# Slide 1\n\nnew\n");
}

#[test]
fn marks_hidden_slides() {
    let hidden = slide(&shape("", &line("x"))).replace("<p:sld ", "<p:sld show=\"0\" ");

    assert_eq!(
        builder(&[&hidden], &[1]).text(),
        "# Slide 1 (hidden)\n\nx\n"
    );
}

#[test]
fn notes_and_diagrams_follow_slide() {
    let notes = slide(
        &(shape("<p:ph type=\"sldImg\"/>", "")
            + &shape("<p:ph type=\"body\"/>", &(line("say") + &line("this")))
            + &shape("<p:ph type=\"sldNum\"/>", &line("1"))),
    );
    let diagram = format!("<d {NAMES}>{}</d>", line("step"));

    let text = builder(&[&slide(&shape("", &line("x")))], &[1])
        .part(
            "ppt/slides/_rels/s1.xml.rels",
            relationships(&[
                ("notesSlide", "../notes/n1.xml"),
                ("diagramData", "../diagrams/d.xml"),
            ]),
        )
        .part("ppt/notes/n1.xml", notes)
        .part("ppt/diagrams/d.xml", diagram)
        .text();

    assert_eq!(text, "# Slide 1\n\nx\n\nstep\n\nNotes: say\nthis\n");
}

#[test]
fn repeated_diagram_is_read_a_few_times() {
    let links = [("diagramData", "../diagrams/d.xml"); 100];

    let text = builder(&[&slide("")], &[1])
        .part("ppt/slides/_rels/s1.xml.rels", relationships(&links))
        .part(
            "ppt/diagrams/d.xml",
            format!("<d {NAMES}>{}</d>", line("step")),
        )
        .text();

    assert_eq!(text.matches("step").count(), MAX_DIAGRAMS);
}

#[test]
fn repeated_slide_is_read_once() {
    let one = slide(&shape("", &line("x")));

    assert_eq!(builder(&[&one], &[1, 1, 1, 7]).text(), "# Slide 1\n\nx\n");
}

#[test]
fn ignores_missing_slide() {
    assert_eq!(builder(&[], &[1]).text(), "");
}

#[test]
fn truncates_text_at_limit() {
    let one = slide(&shape("", &line("long text")));
    let limits = DocumentLimits {
        max_text_bytes: 15,
        ..DocumentLimits::default()
    };

    let document = document_to_text(Cursor::new(builder(&[&one], &[1]).bytes()), &limits).unwrap();

    assert_eq!(
        (document.text.as_str(), document.truncated),
        ("# Slide 1\n\nlong", true)
    );
}

#[test]
fn rejects_slide_with_type_definition() {
    let outcome = builder(&["<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>"], &[1]).read();

    assert!(matches!(outcome, Err(DocumentError::TypeDefinition)));
}
