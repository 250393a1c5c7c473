//! Collected definitions in the fixtures.

use std::fs;
use std::path::{Path, PathBuf};

use provider_adapters::definitions_from_json;
use serde_json::Value;
use tool_core::ToolDefinition;

/// Tool of a published server.
pub(crate) struct Collected {
    /// Registry and package of the server.
    pub(crate) server: String,
    pub(crate) licence: String,
    pub(crate) definition: ToolDefinition,
}

/// Returns all tools, ordered by server name.
pub(crate) fn collected() -> Vec<Collected> {
    let read = |file: &PathBuf| -> Vec<Collected> {
        let text = fs::read_to_string(file).expect("the file is readable");
        text.lines().map(line).collect()
    };
    files().iter().flat_map(read).collect()
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/definitions");
    let entries = fs::read_dir(folder).expect("the definitions exist");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the directory is readable").path())
        .filter(|file| file.extension().is_some_and(|kind| kind == "jsonl"))
        .collect();
    files.sort();
    files
}

fn line(text: &str) -> Collected {
    let about: Value = serde_json::from_str(text).expect("a line is JSON");
    let text_of = |key: &str| about[key].as_str().unwrap_or_default().to_owned();
    let mut definitions = definitions_from_json(text).expect("a line is a definition");
    Collected {
        server: text_of("server"),
        licence: text_of("licence"),
        definition: definitions.remove(0),
    }
}

/// Returns every `step`th tool.
pub(crate) fn spread(all: &[Collected], step: usize) -> Vec<&Collected> {
    all.iter().step_by(step).collect()
}
