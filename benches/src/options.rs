//! Command line options of a bench.

use std::path::PathBuf;

use crate::measure::Effort;

/// Options of a bench, after `--` on the command line.
#[derive(Debug)]
pub struct Options {
    /// `--quick`: only check that the bench runs.
    pub effort: Effort,
    /// `--svg FILE`: output file for the chart.
    pub svg: Option<PathBuf>,
}

impl Options {
    /// Parses the command line.
    ///
    /// # Panics
    /// Panics if an option is unknown or lacks its file.
    #[must_use]
    pub fn from_command_line() -> Self {
        let mut options = Self {
            effort: Effort::Full,
            svg: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => options.effort = Effort::Quick,
                "--svg" => options.svg = Some(words.next().expect("a file").into()),
                // Cargo passes this to every bench.
                "--bench" => {}
                other => panic!("unknown option `{other}`; use --quick or --svg FILE"),
            }
        }
        options
    }
}
