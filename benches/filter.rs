//! Cost of checking a command, and of the most expensive input of the maximum size.
//!
//! cargo bench --bench filter -- [--quick]

use benches::bar::{self, Bar};
use benches::measure::{Case, Effort, interleaved, interleaved_for};
use benches::options::Options;
use shell_verdict::CommandFilter;

#[path = "../crates/shell-verdict/src/tests/largest/texts.rs"]
mod texts;

/// Maximum input size, in kilobytes.
const LARGEST: usize = 64;

const ORDINARY: [&str; 4] = [
    "ls -la",
    "cargo test --workspace 2>&1 | tail -20",
    "git log --oneline -10 && git diff --stat",
    "for f in *.rs; do grep -n unwrap \"$f\" | wc -l; done",
];

fn main() {
    let effort = Options::from_command_line().effort;
    let filter = CommandFilter::standard(["/srv/app"]).with_home("/home/dev");
    ordinary(&filter, effort);
    bar::print(&hardest(&filter, effort));
}

fn ordinary(filter: &CommandFilter, effort: Effort) {
    let mut cases = ORDINARY.map(|text| Case::new(text, || filter.judge(text)));
    interleaved(&mut cases, effort).print();
}

fn hardest(filter: &CommandFilter, effort: Effort) -> Vec<Bar> {
    let mut texts = texts::largest(LARGEST);
    texts.retain(|text| text.len() <= LARGEST * 1024);
    let mut cases: Vec<Case<'_>> = texts
        .iter()
        .map(|text| {
            Case::new(format!("{text:.12}").replace('\n', " "), || {
                filter.judge(text)
            })
        })
        .collect();
    let measured = interleaved_for(&mut cases, effort, 5);
    let milliseconds = |nanoseconds: f64| nanoseconds / 1_000_000.0;
    let slowest = measured.iter().map(|case| milliseconds(case.median));
    let slowest = slowest.fold(0.0, f64::max);
    vec![Bar::ceiling(
        "milliseconds for the most expensive input",
        slowest,
        50.0,
        20.0,
    )]
}
