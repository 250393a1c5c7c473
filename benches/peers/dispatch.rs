//! Cost of one call here and in rig, rmcp and swiftide.
//!
//! cargo bench --manifest-path benches/peers/Cargo.toml --bench dispatch -- [--quick] [--json FILE] [--svg FILE]

use std::collections::BTreeMap;

use benches::bar;
use benches::measure::interleaved;
use benches::options::Options;
use peers::subjects::{SUBJECTS, contests};
use peers::{bars, chart, table};

/// Names of the subjects in the table.
const NAMES: [&str; 8] = [
    "direct typed call",
    "text to struct, then the call",
    "ours, value given",
    "ours, from text",
    "rig `ToolSet::execute`",
    "rig without its registration clone",
    "rmcp router in process, value given",
    "swiftide: scan, parse, call",
];

fn main() {
    let options = Options::from_command_line();
    let counts = table::counts(env!("CARGO_BIN_EXE_allocations"));
    let mut rows = Vec::new();
    let mut cases = Vec::new();
    let mut measured = BTreeMap::new();
    for mut contest in contests() {
        let case = contest.case;
        let of_case = interleaved(&mut contest.subjects, options.effort);
        rows.extend(table::rows(case, &of_case, &counts));
        measured.insert(case, of_case);
        cases.push(case);
    }
    let subjects: Vec<(&str, &str)> = SUBJECTS.into_iter().zip(NAMES).collect();
    println!("{}", table::table(&rows, &cases, &subjects));
    bar::print(&bars::of_dispatch(&measured, &counts));
    if let Some(file) = &options.json {
        table::write_json(&rows, file);
    }
    if let Some(file) = &options.svg {
        chart::write_svg(&rows, &cases, &subjects, file);
    }
}
