//! A model without network access, which surveys a directory based on actual tool results.

mod findings;
mod markdown;
mod plan;
mod report;
mod spots;
mod tools;

use agent_loop::{Model, ModelError, ModelReply, ModelRequest};
use async_trait::async_trait;
use serde_json::{Value, json};
use tool_core::ToolCall;

use self::findings::Findings;
use self::report::Report;
use self::spots::{Spot, best_spots};
pub use self::tools::tools;

/// File that the surveyor writes.
pub const REPORT: &str = "SURVEY.md";

/// Maximum number of listed files; longer lists are reported as truncated.
const MAX_FILES: usize = 5000;
/// Maximum number of hits per search.
const MAX_HITS: usize = 1000;

/// Search of the survey.
struct Search {
    /// Name in the report.
    name: &'static str,
    /// Regular expression. It matches entire words, so that `TODO_LIST` is not a hit.
    query: &'static str,
}

/// Searches, the most important first.
const SEARCHES: [Search; 3] = [
    Search {
        name: "FIXME",
        query: r"\bFIXME\b",
    },
    Search {
        name: "TODO",
        query: r"\bTODO\b",
    },
    Search {
        name: "panics",
        query: r"panic!|unwrap\(\)",
    },
];

/// Deterministic model. Its only state is the conversation; the call ids show its progress.
#[derive(Debug, Clone)]
pub struct Surveyor {
    folder: String,
}

impl Surveyor {
    /// Creates a surveyor that uses this name for the directory in its report.
    #[must_use]
    pub fn new(folder: impl Into<String>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    fn next(&self, findings: &Findings<'_>) -> Result<ModelReply, ModelError> {
        let Some(listing) = findings.listing()? else {
            return Ok(turn(
                "Listing the directory.",
                plan::LISTING,
                [list_files()],
            ));
        };
        if !listing.files.is_empty() && !findings.has(&search_id(0)) {
            return Ok(turn("Searching the files.", plan::SEARCHING, searches()));
        }
        let searches = findings.searches()?;
        let spots = best_spots(&searches);
        if !spots.is_empty() && !findings.has(&read_id(0)) {
            let words = "Reading around the best hits.";
            return Ok(turn(words, plan::READING, reads(&spots)));
        }
        let report = Report {
            folder: &self.folder,
            listing: &listing,
            searches: &searches,
            excerpts: &findings.excerpts(&spots)?,
        };
        if findings.success_of(WRITE)?.is_none() {
            let arguments = json!({"path": REPORT, "content": report.to_string()});
            let write = call("write", WRITE, arguments);
            return Ok(turn("Writing the report.", plan::WRITING, [write]));
        }
        if !findings.has(plan::DONE.id) {
            return Ok(ModelReply::calls([plan::DONE.call()]));
        }
        Ok(ModelReply::text(report.in_short()))
    }
}

#[async_trait]
impl Model for Surveyor {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        self.next(&Findings::of(request.transcript))
    }
}

const LIST: &str = "list";
const WRITE: &str = "write";

fn search_id(index: usize) -> String {
    format!("search_{index}")
}

fn read_id(index: usize) -> String {
    format!("read_{index}")
}

fn call(tool: &str, id: &str, arguments: Value) -> ToolCall {
    ToolCall::new(tool, arguments).with_id(id)
}

/// Creates a reply with a plan update and the calls of its step.
fn turn(words: &str, step: plan::Step, calls: impl IntoIterator<Item = ToolCall>) -> ModelReply {
    ModelReply::calls(std::iter::once(step.call()).chain(calls)).with_text(words)
}

fn list_files() -> ToolCall {
    call(
        "list_files",
        LIST,
        json!({"path": ".", "recursive": true, "limit": MAX_FILES}),
    )
}

fn searches() -> Vec<ToolCall> {
    let search = |(index, search): (usize, &Search)| {
        let arguments = json!({
            "query": search.query,
            "regex": true,
            "case_sensitive": true,
            "limit": MAX_HITS,
        });
        call("search_code", &search_id(index), arguments)
    };
    SEARCHES.iter().enumerate().map(search).collect()
}

fn reads(spots: &[Spot]) -> Vec<ToolCall> {
    let read = |(index, spot): (usize, &Spot)| {
        let arguments = json!({
            "path": spot.path,
            "start_line": spot.first_line,
            "limit": spot.last_line - spot.first_line + 1,
        });
        call("read", &read_id(index), arguments)
    };
    spots.iter().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests;
