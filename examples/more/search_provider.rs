//! A custom search service: `web_search` finds notes in a directory.
//!
//! `cargo run -p examples --example search_provider`

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use async_trait::async_trait;
use serde_json::json;
use tool_core::Registry;
use tools_builtin::toolsets::{self, ToolGroup};
use tools_builtin::web::{SearchError, SearchProvider, SearchResult};
use tools_builtin::{Kit, Workspace};

const NOTES: [(&str, &str); 3] = [
    (
        "bread",
        "Sourdough bread\nFlour, water, salt and patience. The dough rests for a night.",
    ),
    (
        "flour",
        "Flour\nWhat the numbers mean, and which one bread needs.",
    ),
    ("garden", "Garden\nTomatoes want sun and no wind."),
];

/// Ranks notes by the number of query words that they contain.
#[derive(Debug)]
struct Notes {
    folder: PathBuf,
}

#[async_trait]
impl SearchProvider for Notes {
    fn provider_name(&self) -> &'static str {
        "notes"
    }

    async fn search(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, SearchError> {
        let (folder, query) = (self.folder.clone(), query.to_lowercase());
        let searching = tokio::task::spawn_blocking(move || found_in(&folder, &query, count));
        let found = searching
            .await
            .map_err(|error| SearchError::Failed(error.into()))?;
        found.map_err(|error| SearchError::Failed(error.into()))
    }
}

fn found_in(folder: &Path, query: &str, count: usize) -> io::Result<Vec<SearchResult>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let note = fs::read_to_string(&path)?;
        let text = note.to_lowercase();
        let words = query
            .split_whitespace()
            .filter(|word| text.contains(word))
            .count();
        if words > 0 {
            found.push((words, result(&path, &note)));
        }
    }
    found.sort_by(|(words, one), (others, other)| others.cmp(words).then(one.url.cmp(&other.url)));
    Ok(found
        .into_iter()
        .take(count)
        .map(|(_, result)| result)
        .collect())
}

fn result(path: &Path, note: &str) -> SearchResult {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let (title, text) = note.split_once('\n').unwrap_or((note, ""));
    SearchResult::new(title, format!("https://notes.example/{name}"), text)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    for (name, note) in NOTES {
        fs::write(folder.path().join(name).with_extension("txt"), note)?;
    }
    let workspace = tempfile::tempdir()?;
    let notes = Notes {
        folder: folder.path().to_owned(),
    };
    let kit = Kit::new(Workspace::open(workspace.path())?).with_search(Arc::new(notes));
    let registry = Registry::builder()
        .toolset(&ToolGroup::Web.add_to(toolsets::standard(&kit)?, &kit)?)?
        .build();

    for query in ["sourdough bread", "submarines"] {
        let result = registry
            .execute("web_search", json!({"query": query, "count": 3}))
            .await;
        let asked = &result.metadata.extra["search_provider"];
        println!(
            "{result}\n(provider: {})\n",
            asked.as_str().unwrap_or_default()
        );
    }
    Ok(())
}
