//! Tables.

use crate::documents::testing::Made;

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
    Made::docx(body).text()
}

#[test]
fn rows_are_lines_and_cells_are_apart_by_tabs() {
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
fn the_lines_of_a_cell_among_others_are_apart_by_slashes() {
    let two = "<w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p><w:p/><w:p><w:r><w:t>two</w:t><w:tab/><w:t>x</w:t></w:r></w:p></w:tc>".to_owned();

    assert_eq!(
        text_of(&table(&[row(&[two, cell("", "b")])])),
        "one / two x\tb\n"
    );
}

#[test]
fn a_row_of_one_cell_keeps_its_lines() {
    let one =
        "<w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p></w:tc>"
            .to_owned();

    assert_eq!(text_of(&table(&[row(&[one])])), "one\ntwo\n");
}

#[test]
fn merged_cells_keep_the_columns_of_the_others() {
    let body = table(&[
        row(&[cell("<w:gridSpan w:val=\"2\"/>", "wide"), cell("", "c")]),
        row(&[
            cell("<w:vMerge w:val=\"restart\"/>", "tall"),
            cell("", "b"),
            cell("", "c"),
        ]),
        row(&[cell("<w:vMerge/>", ""), cell("", "b"), cell("", "c")]),
        "<w:tr><w:trPr><w:gridBefore w:val=\"1\"/></w:trPr>".to_owned()
            + &cell("", "b")
            + &cell("", "c")
            + "</w:tr>",
    ]);

    assert_eq!(text_of(&body), "wide\t\tc\ntall\tb\tc\n\tb\tc\n\tb\tc\n");
}

#[test]
fn deleted_rows_and_cells_are_left_out() {
    let deleted =
        "<w:tr><w:trPr><w:del w:id=\"1\"/></w:trPr>".to_owned() + &cell("", "gone") + "</w:tr>";
    let body = table(&[
        plain(&["a", "b"]),
        deleted,
        row(&[cell("<w:cellDel w:id=\"1\"/>", "gone"), cell("", "d")]),
    ]);

    assert_eq!(text_of(&body), "a\tb\n\td\n");
}

#[test]
fn a_table_in_a_cell_goes_into_that_cell() {
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
fn a_table_in_a_box_gives_its_paragraphs() {
    let inner = table(&[plain(&["1", "2"])]);
    let body = format!(
        "<w:p><w:r><w:pict><v:textbox><w:txbxContent>{inner}</w:txbxContent></v:textbox></w:pict></w:r></w:p>"
    );

    assert_eq!(text_of(&body), "1\n\n2\n");
}

#[test]
fn a_box_in_a_cell_stays_in_the_cell() {
    let boxed = "<w:tc><w:p><w:r><w:t>a</w:t></w:r><w:r><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r></w:p></w:tc>".to_owned();

    assert_eq!(
        text_of(&table(&[row(&[boxed, cell("", "b")])])),
        "a / boxed\tb\n"
    );
}

#[test]
fn controls_around_rows_and_cells_are_passed_through() {
    let cells = format!(
        "<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>{}",
        cell("", "a"),
        cell("", "b")
    );
    let rows = format!("<w:sdt><w:sdtContent><w:tr>{cells}</w:tr></w:sdtContent></w:sdt>");

    assert_eq!(text_of(&table(&[rows])), "a\tb\n");
}

#[test]
fn a_cell_as_wide_as_nothing_on_earth_is_cut_to_size() {
    let wide = cell("<w:gridSpan w:val=\"4000000000\"/>", "a");

    assert_eq!(
        text_of(&table(&[row(&[wide, cell("", "b")])])),
        format!("a{}b\n", "\t".repeat(64))
    );
}
