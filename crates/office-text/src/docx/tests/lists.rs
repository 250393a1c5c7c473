//! Headings and lists.

use crate::testing::{DocumentBuilder, WORD};

fn paragraph(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn item(list: usize, level: usize, text: &str) -> String {
    paragraph(
        &format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr>"),
        text,
    )
}

fn level(at: usize, format: &str, text: &str) -> String {
    format!(
        "<w:lvl w:ilvl=\"{at}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/><w:lvlText w:val=\"{text}\"/></w:lvl>"
    )
}

fn pattern(id: usize, levels: &[String]) -> String {
    format!(
        "<w:abstractNum w:abstractNumId=\"{id}\">{}</w:abstractNum>",
        levels.concat()
    )
}

fn list(id: usize, pattern: usize, overrides: &str) -> String {
    format!("<w:num w:numId=\"{id}\"><w:abstractNumId w:val=\"{pattern}\"/>{overrides}</w:num>")
}

fn builder(body: &str, numbering: &str, styles: &str) -> DocumentBuilder {
    DocumentBuilder::docx(body)
        .linked(&[("numbering", "numbering.xml"), ("styles", "styles.xml")])
        .part(
            "word/numbering.xml",
            format!("<w:numbering xmlns:w=\"{WORD}\">{numbering}</w:numbering>"),
        )
        .part(
            "word/styles.xml",
            format!("<w:styles xmlns:w=\"{WORD}\">{styles}</w:styles>"),
        )
}

fn style(id: &str, name: &str, rest: &str) -> String {
    format!(
        "<w:style w:type=\"paragraph\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/>{rest}</w:style>"
    )
}

#[test]
fn style_name_or_outline_level_makes_heading() {
    let styles = style("berschrift1", "heading 1", "")
        + &style("T", "Title", "")
        + &style("Own", "Own", "<w:basedOn w:val=\"berschrift1\"/>")
        + &style("Lvl", "Lvl", "<w:pPr><w:outlineLvl w:val=\"2\"/></w:pPr>")
        + &style("Body", "Body", "<w:pPr><w:outlineLvl w:val=\"9\"/></w:pPr>")
        + &style("Deep", "heading 9", "")
        + &style("Loop", "Loop", "<w:basedOn w:val=\"Loop\"/>");
    for (properties, expected) in [
        ("<w:pStyle w:val=\"berschrift1\"/>", "# x\n"),
        ("<w:pStyle w:val=\"T\"/>", "# x\n"),
        ("<w:pStyle w:val=\"Own\"/>", "# x\n"),
        ("<w:pStyle w:val=\"Lvl\"/>", "### x\n"),
        ("<w:pStyle w:val=\"Deep\"/>", "###### x\n"),
        ("<w:pStyle w:val=\"Body\"/>", "x\n"),
        ("<w:pStyle w:val=\"Loop\"/>", "x\n"),
        ("<w:pStyle w:val=\"Missing\"/>", "x\n"),
        ("<w:outlineLvl w:val=\"1\"/>", "## x\n"),
        (
            "<w:pPrChange><w:pPr><w:pStyle w:val=\"T\"/></w:pPr></w:pPrChange>",
            "x\n",
        ),
    ] {
        let text = builder(&paragraph(properties, "x"), "", &styles).text();

        assert_eq!(text, expected, "{properties}");
    }
}

#[test]
fn heading_with_break_is_one_line() {
    let body = "<w:p><w:pPr><w:outlineLvl w:val=\"0\"/></w:pPr><w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r></w:p>";

    assert_eq!(DocumentBuilder::docx(body).text(), "# a b\n");
}

#[test]
fn numbers_items_per_level() {
    let numbering = pattern(
        0,
        &[level(0, "bullet", "\u{F0B7}"), level(1, "bullet", "o")],
    ) + &pattern(
        1,
        &[
            level(0, "decimal", "%1."),
            level(1, "lowerLetter", "%2)"),
            level(2, "decimal", "%1.%2.%3"),
        ],
    ) + &list(1, 0, "")
        + &list(2, 1, "");
    let body = [
        item(1, 0, "milk"),
        item(1, 1, "whole"),
        item(2, 0, "first"),
        item(2, 1, "under"),
        item(2, 1, "under too"),
        item(2, 2, "deep"),
        item(2, 0, "second"),
        item(2, 1, "begins again"),
    ]
    .concat();

    let text = builder(&body, &numbering, "").text();

    assert_eq!(
        text,
        "- milk\n  - whole\n1. first\n  a) under\n  b) under too\n    1.b.3 deep\n2. second\n  a) begins again\n"
            .replace("1.b.3", "1.b.1")
    );
}

#[test]
fn each_list_has_its_own_numbers() {
    let start = "<w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"5\"/></w:lvlOverride>";
    let numbering = pattern(0, &[level(0, "decimal", "%1.")])
        + &list(1, 0, "")
        + &list(2, 0, "")
        + &list(3, 0, start);
    let body = [
        item(1, 0, "a"),
        item(2, 0, "b"),
        item(3, 0, "c"),
        item(3, 0, "d"),
    ]
    .concat();

    assert_eq!(
        builder(&body, &numbering, "").text(),
        "1. a\n1. b\n5. c\n6. d\n"
    );
}

#[test]
fn styles_number_paragraphs() {
    let numbering = pattern(
        0,
        &[level(0, "decimal", "%1"), level(1, "decimal", "%1.%2")],
    ) + &list(1, 0, "");
    let number = |level: usize| {
        format!(
            "<w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>"
        )
    };
    let styles = style("H1", "heading 1", &number(0)) + &style("H2", "heading 2", &number(1));
    let body = [
        paragraph("<w:pStyle w:val=\"H1\"/>", "Scope"),
        paragraph("<w:pStyle w:val=\"H2\"/>", "Terms"),
        paragraph("<w:pStyle w:val=\"H2\"/>", "Parties"),
    ]
    .concat();

    let text = builder(&body, &numbering, &styles).text();

    assert_eq!(text, "# 1 Scope\n\n## 1.1 Terms\n\n## 1.2 Parties\n");
}

#[test]
fn unknown_list_has_no_number() {
    let numbering = pattern(0, &[level(0, "decimal", "%1.")]) + &list(1, 0, "");
    for (list, expected) in [(0, "a\n"), (7, "a\n"), (1, "1. a\n")] {
        assert_eq!(
            builder(&item(list, 0, "a"), &numbering, "").text(),
            expected,
            "{list}"
        );
    }
}

#[test]
fn out_of_range_levels_are_ignored() {
    let numbering = pattern(
        0,
        &[level(0, "decimal", "%1."), level(77, "decimal", "%9%0%")],
    ) + &list(1, 0, "");

    assert_eq!(
        builder(&item(1, 99, "a"), &numbering, "").text(),
        format!("{}- a\n", "  ".repeat(8))
    );
}
