//! A model that needs no network: it surveys a folder, and decides from what the tools really return.

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

/// The file that the surveyor writes.
pub const REPORT: &str = "SURVEY.md";

/// Files that are listed at most; a longer list is said to be cut.
const MAX_FILES: usize = 5000;
/// Hits of one search at most.
const MAX_HITS: usize = 1000;

/// What is searched for.
pub(crate) struct Search {
    /// What the report calls it.
    name: &'static str,
    query: &'static str,
    regex: bool,
}

/// The searches, the most telling first.
pub(crate) const SEARCHES: [Search; 3] = [
    Search {
        name: "FIXME",
        query: "FIXME",
        regex: false,
    },
    Search {
        name: "TODO",
        query: "TODO",
        regex: false,
    },
    Search {
        name: "panics",
        query: r"panic!|unwrap\(\)",
        regex: true,
    },
];

/// The deterministic model. All it knows is the conversation; the ids of its calls say where it stands.
#[derive(Debug, Clone)]
pub struct Surveyor {
    folder: String,
}

impl Surveyor {
    /// Creates a surveyor that calls the folder by this name in its report.
    #[must_use]
    pub fn new(folder: impl Into<String>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    fn next(&self, findings: &Findings<'_>) -> Result<ModelReply, ModelError> {
        let Some(listing) = findings.listing()? else {
            return Ok(turn("I list the folder.", plan::LISTING, [list_files()]));
        };
        if !listing.files.is_empty() && !findings.has(&search_id(0)) {
            return Ok(turn("I search the files.", plan::SEARCHING, searches()));
        }
        let searches = findings.searches()?;
        let spots = best_spots(&searches);
        if !spots.is_empty() && !findings.has(&read_id(0)) {
            let words = "I read around the best hits.";
            return Ok(turn(words, plan::READING, reads(&spots)));
        }
        let Some(written) = findings.success_of(WRITE)? else {
            let report = Report {
                folder: &self.folder,
                listing: &listing,
                searches: &searches,
                excerpts: &findings.excerpts(&spots)?,
            };
            let write = call(
                "write_file",
                WRITE,
                json!({"path": REPORT, "content": report.to_string()}),
            );
            return Ok(turn("I write the report.", plan::WRITING, [write]));
        };
        if !findings.has(plan::DONE.id) {
            return Ok(ModelReply::calls([plan::DONE.call()]));
        }
        let words = written.lines().next().unwrap_or_default();
        Ok(ModelReply::text(format!(
            "The survey is in {REPORT}. {words}"
        )))
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

/// One turn: the plan brought up to date, and the calls of its step.
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
            "regex": search.regex,
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
            "end_line": spot.last_line,
            "max_chars": 4000,
        });
        call("read_file", &read_id(index), arguments)
    };
    spots.iter().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests;
