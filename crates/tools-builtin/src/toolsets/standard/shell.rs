//! The command line.

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::ToolError;

use crate::shell::{Bash, BashInput};
use crate::toolsets::names::Names;
use crate::toolsets::wording::Wording;

/// Runs command lines.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RunLine {
    /// Command line.
    command: String,
    /// Time limit, 30 if omitted.
    #[schemars(range(min = 1, max = 300))]
    timeout_seconds: Option<u64>,
    /// Directory, the root if omitted.
    cwd: Option<String>,
    /// Return at once.
    background: Option<bool>,
    /// `network`, `write:<path>` or `unconfined`.
    needs: Option<Vec<String>>,
    /// Reason for `needs`.
    reason: Option<String>,
}

impl Wording<Bash> for RunLine {
    const NAMES: Names = Names::of(&[("working_directory", "cwd")]);
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("cmd", "command"),
        ("working_directory", "cwd"),
        ("workdir", "cwd"),
        ("run_in_background", "background"),
    ];

    fn request(&self) -> Result<BashInput, ToolError> {
        let line = BashInput::of(self.command.clone());
        Ok(BashInput {
            timeout_seconds: self.timeout_seconds.unwrap_or(line.timeout_seconds),
            working_directory: self.cwd.clone().unwrap_or(line.working_directory),
            background: self.background.unwrap_or_default(),
            needs: self.needs.clone(),
            reason: self.reason.clone(),
            ..BashInput::of(line.command)
        })
    }
}
