//! Bar chart of the measurements: one group per case, one bar per subject.

use std::fmt::Write as _;
use std::path::Path;

use benches::measure::Measurements;

use crate::subjects::SUBJECTS;
use crate::table::Cases;

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
/// Panics if the file cannot be written.
pub fn write_svg(cases: &Cases, file: &Path) {
    std::fs::write(file, svg(cases)).expect("the file is writable");
}

fn svg(cases: &Cases) -> String {
    let count = |items: usize| u32::try_from(items).expect("a handful");
    let group = GROUP + count(SUBJECTS.len()) * LINE;
    let height = group * count(cases.len()) + LINE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\n\
         <title>Nanoseconds of CPU time per call; less is better</title>\n<style>{STYLE}</style>\n"
    );
    for (place, (case, measured)) in (0..).zip(cases) {
        let top = place * group + GROUP / 2;
        let _ = writeln!(
            text,
            "<text class=\"case\" x=\"0\" y=\"{top}\">{case}</text>"
        );
        text.push_str(&bars(measured, top + LINE));
    }
    text.push_str("</svg>\n");
    text
}

/// Draws the bars of one case, relative to the longest bar.
fn bars(measured: &Measurements, top: u32) -> String {
    let longest = measured.slowest().median;
    let mut text = String::new();
    for (line, (subject, name)) in (0..).zip(SUBJECTS) {
        let y = top + line * LINE;
        let median = measured.of(subject).median;
        let length = (median / longest * f64::from(LONGEST)).max(1.0);
        let class = if matches!(subject, "text" | "value") {
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
             <text x=\"{end:.1}\" y=\"{y}\">{median:.0} ns</text>",
            LEFT - 8,
            y - 11,
        );
    }
    text
}
