//! Validation of a code search.

use tool_core::ToolError;

use super::SearchCodeInput;
use crate::search::output::MAX_MATCHES;
use crate::search::query::Query;
use crate::workspace::{Pattern, WalkOptions};

const MAX_CONTEXT_LINES: usize = 20;

/// Maximum number of files and directories to visit. Usually the time limit applies first.
const MAX_ENTRIES: usize = 1_000_000;

/// Validated input.
pub(super) struct Plan {
    pub(super) query: Query,
    pub(super) pattern: Option<Pattern>,
    pub(super) options: WalkOptions,
}

impl Plan {
    pub(super) fn parse(input: &SearchCodeInput) -> Result<Self, ToolError> {
        within("limit", input.limit, 1, MAX_MATCHES)?;
        within("context_lines", input.context_lines, 0, MAX_CONTEXT_LINES)?;
        let query = Query::parse("query", &input.query, input.regex, input.case_sensitive)?;
        let pattern = match input.pattern.as_str() {
            "*" => None,
            pattern => Some(Pattern::parse("pattern", pattern)?),
        };
        let options = WalkOptions::files()
            .with_max_entries(MAX_ENTRIES)
            .with_pattern(pattern.clone())
            .with_hidden(input.hidden)
            .with_ignored(input.ignored)
            .with_max_depth(if input.recursive { usize::MAX } else { 1 })
            .with_skipped_count(true);
        Ok(Self {
            query,
            pattern,
            options,
        })
    }
}

fn within(parameter: &str, value: usize, least: usize, most: usize) -> Result<(), ToolError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let sentence = format!("must be from {least} to {most}, not {value}");
    let nearest = value.clamp(least, most);
    Err(ToolError::invalid_arguments(parameter, sentence)
        .suggest(format!("Use {nearest}, or omit the parameter.")))
}
