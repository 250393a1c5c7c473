//! Record and HTML report of a run.

use std::path::PathBuf;

use agent_loop::{AgentLoop, RecordedRun, RunReport};
use tempfile::TempDir;

use crate::options::Options;
use crate::output;

/// Record of a run; nothing if neither `--record` nor `--report` is set.
pub struct Record {
    file: Option<PathBuf>,
    /// Directory of a record that is not kept.
    _scratch: Option<TempDir>,
}

/// Records the runs of `agent` as the options require.
///
/// # Errors
/// Returns a one-line message if the file cannot be created.
pub fn record(agent: AgentLoop, options: &Options) -> Result<(AgentLoop, Record), String> {
    let mut scratch = None;
    let file = match (&options.record, &options.report) {
        (Some(file), _) => Some(file.clone()),
        (None, Some(_)) => {
            let directory = tempfile::tempdir()
                .map_err(|error| format!("cannot create a temporary directory: {error}"))?;
            let file = directory.path().join("run.jsonl");
            scratch = Some(directory);
            Some(file)
        }
        (None, None) => None,
    };
    let agent = match &file {
        Some(file) => agent.record_to(file).map_err(|error| error.to_string())?,
        None => agent,
    };
    let record = Record {
        file,
        _scratch: scratch,
    };
    Ok((agent, record))
}

impl Record {
    /// Writes the report of `--report`.
    ///
    /// # Errors
    /// Returns a one-line message if the record cannot be read or the report cannot be written.
    pub fn report(&self, options: &Options) -> Result<(), String> {
        let (Some(file), Some(report)) = (&self.file, &options.report) else {
            return Ok(());
        };
        let run = RecordedRun::read(file).map_err(|error| error.to_string())?;
        let page = RunReport::new([&run]).to_html();
        output::keep(report, page.as_bytes())
    }
}
