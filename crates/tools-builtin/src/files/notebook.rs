//! Notebooks as text: the cells and the text of their outputs.

use std::fmt::Write as _;

use serde_json::Value;

/// Maximum characters of an output.
const MAX_OUTPUT_CHARS: usize = 2000;

/// Returns whether a file of this name is a notebook.
pub(super) fn is_notebook(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("ipynb"))
}

/// Returns the cells of a notebook with the text of their outputs. Pictures and other data are named. `None` if this is
/// no notebook.
pub(super) fn cells(content: &[u8]) -> Option<String> {
    let notebook: Value = serde_json::from_slice(content).ok()?;
    let cells = notebook.get("cells")?.as_array()?;
    let mut text = String::new();
    for (number, cell) in (1..).zip(cells) {
        let kind = cell.get("cell_type").and_then(Value::as_str);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[cell {number}: {}]", kind.unwrap_or("unknown"));
        push_lines(&mut text, &joined(cell.get("source")));
        let outputs = cell.get("outputs").and_then(Value::as_array);
        for output in outputs.into_iter().flatten() {
            let _ = writeln!(text, "[output of cell {number}]");
            push_output(&mut text, output);
        }
    }
    Some(text)
}

fn push_output(text: &mut String, output: &Value) {
    let field = |name: &str| joined(output.get(name));
    if output.get("ename").is_some() {
        push_lines(text, &format!("{}: {}", field("ename"), field("evalue")));
        return;
    }
    push_lines(text, &shortened(field("text")));
    let data = output.get("data").and_then(Value::as_object);
    let has_plain = data.is_some_and(|data| data.contains_key("text/plain"));
    for (media_type, value) in data.into_iter().flatten() {
        if media_type == "text/plain" {
            push_lines(text, &shortened(joined(Some(value))));
        // Rich text repeats the plain one.
        } else if !has_plain || media_type.starts_with("image/") {
            let _ = writeln!(text, "[{media_type} omitted]");
        }
    }
}

/// Returns a string, which may be a list of lines.
fn joined(text: Option<&Value>) -> String {
    match text {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_OUTPUT_CHARS) {
        let more = text.split_off(end).chars().count();
        let _ = write!(text, "[… {more} more characters]");
    }
    text
}

fn push_lines(text: &mut String, lines: &str) {
    text.push_str(lines);
    if !lines.is_empty() && !lines.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(notebook: &Value) -> Option<String> {
        cells(notebook.to_string().as_bytes())
    }

    #[test]
    fn shows_cells_without_data_of_outputs() {
        let notebook = json!({"nbformat": 4, "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "text"]},
            {"cell_type": "code", "source": "plot(x)\n", "outputs": [
                {"output_type": "stream", "text": ["one\n", "two\n"]},
                {"output_type": "display_data", "data": {
                    "image/png": "iVBORw0KGgo", "text/html": "<b>1</b>", "text/plain": ["Figure"],
                }},
                {"output_type": "display_data", "data": {"text/html": "<b>1</b>"}},
                {"output_type": "error", "ename": "NameError", "evalue": "x", "traceback": ["\u{1b}[31m"]},
            ]},
        ]});

        assert_eq!(
            shown(&notebook).unwrap(),
            "[cell 1: markdown]\n# Title\ntext\n[cell 2: code]\nplot(x)\n\
            [output of cell 2]\none\ntwo\n[output of cell 2]\n[image/png omitted]\nFigure\n\
            [output of cell 2]\n[text/html omitted]\n[output of cell 2]\nNameError: x\n"
        );
        let long = json!({"cells": [{"outputs": [{"text": "ä".repeat(2003)}]}]});
        assert!(shown(&long).unwrap().ends_with("ä[… 3 more characters]\n"));
    }

    #[test]
    fn other_files_are_no_notebooks() {
        for other in [json!({}), json!([]), json!({"cells": 1}), json!("cells")] {
            assert_eq!(shown(&other), None, "{other}");
        }
        assert_eq!(cells(b"{\"cells\": ["), None);
        assert_eq!(cells(&b"[".repeat(100_000)), None);
        assert!(is_notebook("a/b.ipynb") && is_notebook("b.IPYNB") && !is_notebook("ipynb"));
    }
}
