//! Collected definitions of published servers.

use std::fs;
use std::path::Path;

use provider_adapters::definitions_from_json;
use tool_core::ToolDefinition;

/// Returns `count` definitions from `tests/fixtures/definitions`, from all servers in turn. Repeats
/// definitions under unique names if there are fewer.
///
/// # Panics
/// Panics if they cannot be read.
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
    let files = fs::read_dir(&folder).expect("the definitions exist");
    let mut files: Vec<_> = files
        .map(|file| file.expect("the directory is readable").path())
        .filter(|file| file.extension().is_some_and(|kind| kind == "jsonl"))
        .collect();
    files.sort();
    let read = |file| {
        let text = fs::read_to_string(file).expect("the file is readable");
        definitions_from_json(&text).expect("the definitions are valid")
    };
    files.iter().flat_map(read).collect()
}
