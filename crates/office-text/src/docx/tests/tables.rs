//! Tables.

use crate::testing::DocumentBuilder;

fn cell(properties: &str, text: &str) -> String {
    format!("<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
}

fn row(cells: &[String]) -> String {
    format!("<w:tr>{}</w:tr>", cells.concat())
}

fn plain(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|text| cell("", text)).collect();
    row(&cells)
}

fn table(rows: &[String]) -> String {
    format!(
        "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>{}</w:tbl>",
        rows.concat()
    )
}

fn text_of(body: &str) -> String {
    DocumentBuilder::docx(body).text()
}

#[test]
fn tabs_separate_cells_of_rows() {
    let body = "<w:p><w:r><w:t>above</w:t></w:r></w:p>".to_owned()
        + &table(&[
            plain(&["a", "b"]),
            plain(&["", "d"]),
            plain(&["e", ""]),
            plain(&["", ""]),
        ])
        + &table(&[plain(&["x", "y"])])
        + "<w:p><w:r><w:t>below</w:t></w:r></w:p>";

    assert_eq!(text_of(&body), "above\n\na\tb\n\td\ne\n\nx\ty\n\nbelow\n");
}

#[test]
fn slashes_separate_lines_of_cell() {
    let two = "<w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p><w:p/><w:p><w:r><w:t>two</w:t><w:tab/><w:t>x</w:t></w:r></w:p></w:tc>".to_owned();

    assert_eq!(
        text_of(&table(&[row(&[two, cell("", "b")])])),
        "one / two x\tb\n"
    );
}

#[test]
fn row_with_one_cell_keeps_lines() {
    let one =
        "<w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p></w:tc>"
            .to_owned();

    assert_eq!(text_of(&table(&[row(&[one])])), "one\ntwo\n");
}

#[test]
fn merged_cells_keep_column_positions() {
    let body = table(&[
        row(&[cell("<w:gridSpan w:val=\"2\"/>", "wide"), cell("", "c")]),
        row(&[
            cell("<w:vMerge w:val=\"restart\"/>", "tall"),
            cell("", "b"),
            cell("", "c"),
        ]),
        row(&[cell("<w:vMerge/>", ""), cell("", "b"), cell("", "c")]),
    ]);

    assert_eq!(text_of(&body), "wide\t\tc\ntall\tb\tc\n\tb\tc\n");
}

#[test]
fn omits_deleted_rows() {
    let deleted =
        "<w:tr><w:trPr><w:del w:id=\"1\"/></w:trPr>".to_owned() + &cell("", "gone") + "</w:tr>";
    let body = table(&[plain(&["a", "b"]), deleted]);

    assert_eq!(text_of(&body), "a\tb\n");
}

#[test]
fn nested_table_is_part_of_cell() {
    let inner = table(&[plain(&["1", "2"]), plain(&["3", "4"])]);
    let outer = |more: &str| {
        format!("<w:tr><w:tc><w:p><w:r><w:t>t</w:t></w:r></w:p>{inner}<w:p/></w:tc>{more}</w:tr>")
    };

    assert_eq!(
        text_of(&table(&[outer(&cell("", "b"))])),
        "t / 1 2 / 3 4\tb\n"
    );
    assert_eq!(text_of(&table(&[outer("")])), "t\n1\t2\n3\t4\n");
}

#[test]
fn table_in_text_box_is_read_as_paragraphs() {
    let inner = table(&[plain(&["1", "2"])]);
    let body = format!(
        "<w:p><w:r><w:pict><v:textbox><w:txbxContent>{inner}</w:txbxContent></v:textbox></w:pict></w:r></w:p>"
    );

    assert_eq!(text_of(&body), "1\n\n2\n");
}

#[test]
fn text_box_in_cell_is_part_of_cell() {
    let boxed = "<w:tc><w:p><w:r><w:t>a</w:t></w:r><w:r><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r></w:p></w:tc>".to_owned();

    assert_eq!(
        text_of(&table(&[row(&[boxed, cell("", "b")])])),
        "a / boxed\tb\n"
    );
}

#[test]
fn reads_rows_and_cells_in_content_controls() {
    let cells = format!(
        "<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>{}",
        cell("", "a"),
        cell("", "b")
    );
    let rows = format!("<w:sdt><w:sdtContent><w:tr>{cells}</w:tr></w:sdtContent></w:sdt>");

    assert_eq!(text_of(&table(&[rows])), "a\tb\n");
}

#[test]
fn column_span_is_limited() {
    let wide = cell("<w:gridSpan w:val=\"4000000000\"/>", "a");

    assert_eq!(
        text_of(&table(&[row(&[wide, cell("", "b")])])),
        format!("a{}b\n", "\t".repeat(64))
    );
}
