//! The definitions as they lie in the fixtures.

use std::fs;
use std::path::{Path, PathBuf};

use provider_adapters::definitions_from_json;
use serde_json::Value;
use tool_core::ToolDefinition;

/// One tool of a published server.
pub(crate) struct Collected {
    /// The registry and the package.
    pub(crate) server: String,
    pub(crate) licence: String,
    pub(crate) definition: ToolDefinition,
}

/// Every tool, in the order of the servers' names.
pub(crate) fn collected() -> Vec<Collected> {
    let read = |file: &PathBuf| -> Vec<Collected> {
        let text = fs::read_to_string(file).expect("a file of definitions can be read");
        text.lines().map(line).collect()
    };
    files().iter().flat_map(read).collect()
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/definitions");
    let entries = fs::read_dir(folder).expect("the definitions are there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|file| file.extension().is_some_and(|kind| kind == "jsonl"))
        .collect();
    files.sort();
    files
}

fn line(text: &str) -> Collected {
    let about: Value = serde_json::from_str(text).expect("a line is JSON");
    let said = |key: &str| about[key].as_str().unwrap_or_default().to_owned();
    let mut definitions = definitions_from_json(text).expect("a line is a definition");
    Collected {
        server: said("server"),
        licence: said("licence"),
        definition: definitions.remove(0),
    }
}

/// One of so many, over all servers.
pub(crate) fn spread(all: &[Collected], step: usize) -> Vec<&Collected> {
    all.iter().step_by(step).collect()
}
