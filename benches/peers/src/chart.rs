//! Bar chart of the rows: one group per case, one bar per subject.

use std::fmt::Write as _;
use std::path::Path;

use crate::table::{Row, row};

const WIDTH: u32 = 760;
/// Horizontal start of the bars; below, the maximum length.
const LEFT: u32 = 250;
const LONGEST: u32 = 400;
const LINE: u32 = 20;
const GROUP: u32 = 44;

/// Medium gray and both colors are legible on light and dark backgrounds.
const STYLE: &str = "text{font:13px sans-serif;fill:#808890}.case{font-weight:bold}\
    .ours{fill:#2f81f7}.peer{fill:#8b949e}";

/// Writes the chart.
///
/// # Panics
/// Panics if the file cannot be written or a row is missing.
pub fn write_svg(rows: &[Row], cases: &[&str], subjects: &[(&str, &str)], file: &Path) {
    std::fs::write(file, svg(rows, cases, subjects)).expect("the file is writable");
}

fn svg(rows: &[Row], cases: &[&str], subjects: &[(&str, &str)]) -> String {
    let lines = u32::try_from(subjects.len()).expect("a handful");
    let group = GROUP + lines * LINE;
    let height = group * u32::try_from(cases.len()).expect("a handful") + LINE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\n\
         <title>Nanoseconds of processor time per call; less is better</title>\n<style>{STYLE}</style>\n"
    );
    for (place, case) in (0..).zip(cases) {
        let top = place * group + GROUP / 2;
        let _ = writeln!(
            text,
            "<text class=\"case\" x=\"0\" y=\"{top}\">{case}</text>"
        );
        let members: Vec<(&str, &Row)> = subjects
            .iter()
            .map(|(subject, name)| (*name, row(rows, case, subject)))
            .collect();
        text.push_str(&bars(&members, top + LINE));
    }
    text.push_str("</svg>\n");
    text
}

/// Draws the bars of one case, relative to the longest bar.
fn bars(members: &[(&str, &Row)], top: u32) -> String {
    let most = members
        .iter()
        .fold(1.0, |most: f64, (_, row)| most.max(row.median_ns));
    let mut text = String::new();
    for (line, (name, row)) in (0..).zip(members) {
        let y = top + line * LINE;
        let length = (row.median_ns / most * f64::from(LONGEST)).max(1.0);
        let class = if matches!(row.subject.as_str(), "text" | "value") {
            "ours"
        } else {
            "peer"
        };
        let end = f64::from(LEFT) + length + 8.0;
        let name = name.replace('`', "");
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{name}</text>\
             <rect class=\"{class}\" x=\"{LEFT}\" y=\"{}\" width=\"{length:.1}\" height=\"14\" rx=\"2\"/>\
             <text x=\"{end:.1}\" y=\"{y}\">{:.0} ns</text>",
            LEFT - 8,
            y - 11,
            row.median_ns
        );
    }
    text
}
