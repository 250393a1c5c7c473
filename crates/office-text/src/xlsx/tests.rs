use super::*;
use crate::testing::{DocumentBuilder, relationships};

const NAMES: &str = r#"xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships""#;

/// Returns a workbook with these sheets and rows.
fn builder(sheets: &[(&str, &str)]) -> DocumentBuilder {
    let listed: Vec<String> = sheets
        .iter()
        .enumerate()
        .map(|(at, (name, _))| {
            format!(
                r#"<sheet name="{name}" sheetId="{at}" r:id="r{}"/>"#,
                at + 3
            )
        })
        .collect();
    let listed = listed.concat();
    let names: Vec<String> = (1..=sheets.len())
        .map(|at| format!("worksheets/s{at}.xml"))
        .collect();
    let mut links = vec![("sharedStrings", "strings.xml"), ("styles", "styles.xml")];
    links.extend(names.iter().map(|name| ("worksheet", name.as_str())));
    let mut builder = DocumentBuilder::of("spreadsheetml.sheet", "xl/workbook.xml")
        .part(
            "xl/workbook.xml",
            format!("<workbook {NAMES}><workbookPr/><sheets>{listed}</sheets></workbook>"),
        )
        .part("xl/_rels/workbook.xml.rels", relationships(&links));
    for (name, (_, rows)) in names.iter().zip(sheets) {
        builder = builder.part(
            &format!("xl/{name}"),
            format!("<worksheet {NAMES}><sheetData>{rows}</sheetData></worksheet>"),
        );
    }
    builder
}

fn row(number: usize, cells: &[(&str, &str, &str)]) -> String {
    let cells: Vec<String> = cells
        .iter()
        .map(|(place, kind, value)| format!(r#"<c r="{place}" t="{kind}"><v>{value}</v></c>"#))
        .collect();
    let cells = cells.concat();
    format!(r#"<row r="{number}">{cells}</row>"#)
}

fn text_of(rows: &str) -> String {
    let text = builder(&[("S", rows)]).text();
    text.strip_prefix("# Sheet: S\n")
        .unwrap()
        .trim_start()
        .to_owned()
}

#[test]
fn sheets_keep_order_and_names() {
    let rows = |value: &str| row(1, &[("A1", "n", value)]);

    let text = builder(&[
        ("First &amp; best", &rows("1")),
        ("Empty", ""),
        ("Last", &rows("2")),
    ])
    .text();

    assert_eq!(
        text,
        "# Sheet: First & best\n\n1\n\n# Sheet: Empty\n\n# Sheet: Last\n\n2\n"
    );
}

#[test]
fn tabs_keep_column_positions() {
    let rows = row(1, &[("A1", "n", "1"), ("B1", "n", "2"), ("D1", "n", "4")])
        + &row(2, &[("C2", "n", "3")]);

    assert_eq!(text_of(&rows), "1\t2\t\t4\n\t\t3\n");
}

#[test]
fn one_blank_line_replaces_empty_rows() {
    let rows = row(1, &[("A1", "n", "1")])
        + &row(2, &[("A2", "n", "")])
        + &row(900_000, &[("A900000", "n", "2")]);

    assert_eq!(text_of(&rows), "1\n\n2\n");
}

#[test]
fn shows_each_type_of_value() {
    for (kind, value, expected) in [
        ("n", "12.5", "12.5"),
        ("", "12", "12"),
        ("n", "0.10000000000000001", "0.1"),
        ("n", "1.2345678901234567E+30", "1.2345678901234567E+30"),
        ("n", "odd", "odd"),
        ("b", "1", "TRUE"),
        ("b", "0", "FALSE"),
        ("e", "#DIV/0!", "#DIV/0!"),
        ("str", "a\nb\tc", "a b c"),
        ("d", "2026-11-21", "2026-11-21"),
    ] {
        assert_eq!(
            text_of(&row(1, &[("A1", kind, value)])),
            format!("{expected}\n"),
            "{kind} {value}"
        );
    }
}

#[test]
fn reads_shared_strings() {
    let strings = format!(
        "<sst {NAMES}><si><t>plain</t></si><si><r><rPr><b/></rPr><t>ri</t></r><r><t xml:space=\"preserve\">ch </t></r><rPh><t>reading</t></rPh></si><si><t>a_x000D_&#10;b</t></si></sst>"
    );
    let rows = row(
        1,
        &[
            ("A1", "s", "1"),
            ("B1", "s", "0"),
            ("C1", "s", "2"),
            ("D1", "s", "77"),
            ("E1", "n", "5"),
        ],
    );

    let text = builder(&[("S", &rows)])
        .part("xl/strings.xml", strings)
        .text();

    assert_eq!(text, "# Sheet: S\n\nrich \tplain\ta b\t\t5\n");
}

#[test]
fn reads_inline_strings() {
    let rows =
        r#"<row r="1"><c r="A1" t="inlineStr"><is><t>in</t><r><t>line</t></r></is></c></row>"#;

    assert_eq!(text_of(rows), "inline\n");
}

#[test]
fn formula_shows_cached_value_or_text() {
    let rows = r#"<row r="1"><c r="A1"><f>SUM(B1:C1)</f><v>3</v></c><c r="B1"><f>A1*2</f></c><c r="C1" t="str"><f>X</f><v>text</v></c></row>"#;

    assert_eq!(text_of(rows), "3\t=A1*2\ttext\n");
}

#[test]
fn shows_dates() {
    let styles = format!(
        "<styleSheet {NAMES}><numFmts><numFmt numFmtId=\"164\" formatCode=\"dd/mm/yyyy hh:mm\"/></numFmts><cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>"
    );
    let rows = r#"<row r="1"><c r="A1" s="0"><v>45351</v></c><c r="B1" s="1"><v>45351</v></c><c r="C1" s="2"><v>45351.25</v></c></row>"#;
    let builder = builder(&[("S", rows)]).part("xl/styles.xml", styles);

    assert_eq!(
        builder.text(),
        "# Sheet: S\n\n45351\t2024-02-29\t2024-02-29 06:00:00\n"
    );
}

#[test]
fn marks_hidden_sheets() {
    let builder = builder(&[("S", &row(1, &[("A1", "n", "1")]))]);
    let hidden = format!(
        r#"<workbook {NAMES}><sheets><sheet name="S" state="veryHidden" r:id="r3"/></sheets></workbook>"#
    );

    assert_eq!(
        builder.part("xl/workbook.xml", hidden).text(),
        "# Sheet: S (hidden)\n\n1\n"
    );
}

#[test]
fn cells_without_reference_are_consecutive() {
    let rows = "<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row>";

    assert_eq!(text_of(rows), "1\t2\n3\n");
}

#[test]
fn unordered_cells_are_all_shown() {
    let rows = row(
        1,
        &[("C1", "n", "3"), ("A1", "n", "1"), ("C1", "n", "again")],
    );

    assert_eq!(text_of(&rows), "3\t1\tagain\n");
}

#[test]
fn shows_hidden_rows_and_columns() {
    let sheet = format!(
        r#"<worksheet {NAMES}><cols><col min="2" max="2" hidden="1"/></cols><sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row><row r="2" hidden="1"><c r="A2"><v>3</v></c></row></sheetData></worksheet>"#
    );

    let text = builder(&[("S", "")])
        .part("xl/worksheets/s1.xml", sheet)
        .text();

    assert_eq!(text, "# Sheet: S\n\n1\t2\n3\n");
}

#[test]
fn truncates_row_of_large_strings() {
    let strings = format!(
        "<sst {NAMES}><si><t>{}</t></si></sst>",
        "word ".repeat(2_000)
    );
    let cells = r#"<c t="s"><v>0</v></c>"#.repeat(10_000);
    let limits = DocumentLimits {
        max_text_bytes: 50_000,
        ..DocumentLimits::default()
    };

    let document = builder(&[("S", &format!("<row>{cells}</row>"))])
        .part("xl/strings.xml", strings)
        .read_within(&limits)
        .unwrap();

    assert!(document.truncated && document.text.len() <= 50_000);
}

#[test]
fn out_of_range_columns_use_no_memory() {
    let rows = row(1, &[("ZZZZZZ1", "n", "1")]);

    assert!(text_of(&rows).len() <= 16_384 + 2);
}

#[test]
fn truncates_repeated_large_string() {
    let strings = format!(
        "<sst {NAMES}><si><t>{}</t></si></sst>",
        "word ".repeat(2_000)
    );
    let rows: String = (1..500)
        .map(|at| row(at, &[("A1", "s", "0"), ("B1", "s", "0")]))
        .collect();
    let limits = DocumentLimits {
        max_text_bytes: 50_000,
        ..DocumentLimits::default()
    };

    let document = builder(&[("S", &rows)])
        .part("xl/strings.xml", strings)
        .read_within(&limits)
        .unwrap();

    assert!(document.truncated && document.text.len() <= 50_000);
}

#[test]
fn rejects_sheet_with_type_definition() {
    let outcome = builder(&[("S", "")])
        .part("xl/worksheets/s1.xml", "<!DOCTYPE a><a/>")
        .read();

    assert!(matches!(outcome, Err(DocumentError::TypeDefinition)));
}
