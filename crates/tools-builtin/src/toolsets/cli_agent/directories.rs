//! Tool to find files.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ToolContext, ToolError};

use super::errors;
use crate::files::{FileSearch, FileSearchInput, FileSearchOutput, defaults};
use crate::toolsets::names::Names;
use crate::toolsets::wording::Wording;
use crate::workspace::on_one_line;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FindFiles {
    /// Glob pattern (e.g., '**/*.py', 'src/**/*.go')
    pattern: String,
    /// Base directory to search from (default: current directory)
    #[serde(default = "defaults::root")]
    base_path: String,
}

impl Wording<FileSearch> for FindFiles {
    const NAMES: Names = Names::of(&[]).hiding(&["limit"]);

    fn request(&self) -> Result<FileSearchInput, ToolError> {
        Ok(FileSearchInput {
            pattern: self.pattern.clone(),
            base_path: self.base_path.clone(),
            limit: defaults::limit(),
        })
    }

    fn reworded(&self, error: ToolError, _files: &FileSearch) -> ToolError {
        errors::file_search(error, &self.pattern, &self.base_path)
    }

    fn text(&self, cx: &ToolContext, output: &FileSearchOutput) -> Result<String, ToolError> {
        let (pattern, found, shown) = (&self.pattern, output.matches, output.files.len());
        cx.note("matches", found);
        cx.note("pattern", &**pattern);
        if found > shown {
            cx.warn(format!("Found {found} matches, showing first {shown}"));
        }
        let mut listing = format!("Found {found} files matching '{pattern}':");
        for file in &output.files {
            // Writing to a String cannot fail.
            let _ = write!(listing, "\n  {}", on_one_line(file));
        }
        Ok(listing)
    }
}
