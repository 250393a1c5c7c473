//! How long does the command filter need for the worst command of 64 KB?
//!
//! cargo bench -p benches --bench filter -- [--quick]

use benches::bar::{self, Bar};
use benches::measure::{Case, interleaved_for};
use benches::options::Options;
use shell_verdict::CommandFilter;

#[path = "../crates/shell-verdict/src/tests/largest/texts.rs"]
mod texts;

/// Maximum size of a command, in kilobytes.
const LARGEST: usize = 64;

fn main() {
    let effort = Options::from_command_line().effort;
    let filter = CommandFilter::standard(["/srv/app"]).with_home("/home/dev");
    let mut texts = texts::largest(LARGEST);
    texts.retain(|text| text.len() <= LARGEST * 1024);
    let mut cases: Vec<Case<'_>> = texts
        .iter()
        .map(|text| {
            let start = format!("{text:.12}").replace('\n', " ");
            Case::new(start, || filter.judge(text))
        })
        .collect();
    let measured = interleaved_for(&mut cases, effort, 5);
    let slowest = measured.slowest();
    println!("worst command: repeated `{}`", slowest.name);
    bar::print(&[Bar::ceiling(
        "worst command of 64 KB: ms",
        slowest.median / 1e6,
        50.0,
    )]);
}
