//! What a bench is asked to do.

use std::path::PathBuf;

use crate::measure::Effort;

/// The switches of a bench, after `--` on the command line.
#[derive(Debug)]
pub struct Options {
    /// `--quick`: only shows that the bench still runs.
    pub effort: Effort,
    /// `--json FILE`: where the rows go.
    pub json: Option<PathBuf>,
    /// `--svg FILE`: where the chart goes.
    pub svg: Option<PathBuf>,
}

impl Options {
    /// Reads the command line.
    ///
    /// # Panics
    /// On a switch that is not known, and on one without its file.
    #[must_use]
    pub fn from_command_line() -> Self {
        let mut options = Self {
            effort: Effort::Full,
            json: None,
            svg: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut file = || Some(PathBuf::from(words.next().expect("a file")));
            match word.as_str() {
                "--quick" => options.effort = Effort::Quick,
                "--json" => options.json = file(),
                "--svg" => options.svg = file(),
                // What cargo itself says to every bench.
                "--bench" => {}
                other => panic!("`{other}` is none of --quick, --json FILE and --svg FILE"),
            }
        }
        options
    }
}
