//! What does one call cost here and in rig, rmcp and swiftide?
//!
//! cargo +nightly bench --ignore-rust-version --manifest-path benches/peers/Cargo.toml --bench dispatch -- [--quick] [--svg FILE]

use benches::bar::{self, Bar};
use benches::measure::interleaved;
use benches::options::Options;
use peers::chart;
use peers::subjects::contests;
use peers::table::{Cases, table};

fn main() {
    let options = Options::from_command_line();
    let cases: Cases = contests()
        .into_iter()
        .map(|(case, mut subjects)| (case, interleaved(&mut subjects, options.effort)))
        .collect();
    println!("{}", table(&cases));
    bar::print(&bars(&cases));
    if let Some(file) = &options.svg {
        chart::write_svg(&cases, file);
    }
}

fn bars(cases: &Cases) -> Vec<Bar> {
    [
        ("add", "text", "rig", 0.65, 0.4),
        ("read_file", "text", "rig", 0.65, 0.4),
        ("todo", "text", "rig", 1.0, 0.75),
        ("add", "value", "rmcp", 1.4, 1.0),
        ("add", "text", "swiftide", 4.5, 3.1),
        ("read_file", "text", "swiftide", 3.5, 2.1),
        ("todo", "text", "swiftide", 1.8, 1.35),
    ]
    .map(|(case, ours, theirs, limit, goal)| {
        let ratio = cases[case].ratio(ours, theirs);
        Bar::ceiling(format!("{case}: {ours} / {theirs}"), ratio, limit).goal(goal)
    })
    .into()
}
