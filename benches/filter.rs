//! Cost of checking everyday commands, and the most expensive input of the maximum size.
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

/// Everyday commands of developers, one per line; `⏎` is a newline within a command.
const EVERYDAY: [&str; 4] = [
    include_str!("../crates/shell-verdict/src/tests/commands/harmless.txt"),
    include_str!("../crates/shell-verdict/src/tests/commands/harmless_everyday.txt"),
    include_str!("../crates/shell-verdict/src/tests/commands/harmless_tools.txt"),
    include_str!("../crates/shell-verdict/src/tests/commands/harmless_flow.txt"),
];

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
    bar::print(&[everyday(&filter, effort), hardest(&filter, effort)]);
}

fn ordinary(filter: &CommandFilter, effort: Effort) {
    let mut cases = ORDINARY.map(|text| Case::new(text, || filter.judge(text)));
    interleaved(&mut cases, effort).print();
}

/// Returns the time within which 99 % of the everyday commands are checked.
fn everyday(filter: &CommandFilter, effort: Effort) -> Bar {
    let lines = EVERYDAY.iter().flat_map(|table| table.lines());
    let commands: Vec<String> = lines
        .filter(|line| !line.is_empty())
        .map(|line| line.replace('⏎', "\n"))
        .collect();
    let mut cases: Vec<Case<'_>> = commands
        .iter()
        .map(|text| Case::new(text.as_str(), || filter.judge(text)))
        .collect();
    let measured = interleaved_for(&mut cases, effort, 5);
    let mut times: Vec<f64> = measured.iter().map(|case| case.median / 1000.0).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    println!(
        "  {} everyday commands: median {:.1} µs, 99 % {:.1} µs, slowest {:.1} µs",
        times.len(),
        at(50),
        at(99),
        at(100)
    );
    Bar::ceiling(
        "microseconds for 99 % of everyday commands",
        at(99),
        200.0,
        100.0,
    )
}

fn hardest(filter: &CommandFilter, effort: Effort) -> Bar {
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
    let slowest = measured
        .iter()
        .max_by(|one, other| one.median.total_cmp(&other.median));
    let (name, time) = slowest.map_or(("", 0.0), |case| (case.name.as_str(), case.median));
    println!("  most expensive input: repeated `{name}`");
    Bar::ceiling(
        "milliseconds for the most expensive input",
        time / 1_000_000.0,
        50.0,
        20.0,
    )
}
