//! The definitions of published servers, as they were collected.

use std::fs;
use std::path::Path;

use provider_adapters::definitions_from_json;
use tool_core::ToolDefinition;

/// So many definitions of `tests/fixtures/definitions`, spread over all servers. Where there are fewer, they go round
/// again; each has a name of its own.
///
/// # Panics
/// When they cannot be read.
#[must_use]
pub fn definitions(count: usize) -> Vec<ToolDefinition> {
    let every = all();
    let all = every.len() * count.div_ceil(every.len());
    (0..count)
        .map(|at| {
            let definition = &every[at * all / count % every.len()];
            let name = format!("{}_{at}", definition.name());
            let schema = definition.input_schema().clone();
            ToolDefinition::new(name, definition.description(), schema)
        })
        .collect()
}

fn all() -> Vec<ToolDefinition> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/definitions");
    let files = fs::read_dir(&folder).expect("the definitions are there");
    let mut files: Vec<_> = files
        .map(|file| file.expect("the folder can be read").path())
        .filter(|file| file.extension().is_some_and(|kind| kind == "jsonl"))
        .collect();
    files.sort();
    let read = |file| {
        let text = fs::read_to_string(file).expect("the file can be read");
        definitions_from_json(&text).expect("they are definitions")
    };
    files.iter().flat_map(read).collect()
}
