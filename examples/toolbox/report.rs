//! `report`: HTML reports of recorded runs.

use std::path::PathBuf;
use std::process::ExitCode;

use agent_loop::{Prices, RecordedRun, RunReport};
use clap::Args;

use crate::failure::Failure;
use crate::output;

/// Prints the report of a recorded run as one HTML page.
///
/// The first run of the file is shown. Prices are per million tokens.
#[derive(Debug, Args)]
#[command(after_help = r"Example:
  toolbox report run.jsonl --input-price 3 --output-price 15 > run.html")]
pub(crate) struct Report {
    /// File of `AgentLoop::record_to`, such as that of `agent_loop --record`.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Price of a million input tokens.
    #[arg(long, value_name = "PRICE", requires = "output_price")]
    input_price: Option<f64>,
    /// Price of a million output tokens.
    #[arg(long, value_name = "PRICE", requires = "input_price")]
    output_price: Option<f64>,
}

impl Report {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let run = RecordedRun::read(&self.file)
            .map_err(|error| Failure::input(self.file.display(), error))?;
        let mut report = RunReport::new([&run]);
        if let (Some(input), Some(output)) = (self.input_price, self.output_price) {
            report = report.prices(Prices::new(input, output));
        }
        output::text(&report.to_html())?;
        Ok(ExitCode::SUCCESS)
    }
}
