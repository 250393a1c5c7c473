use tool_core::tool;

struct NotJson;

/// Takes a type that is not JSON.
#[tool]
fn input_without_derives(value: NotJson) {}

/// Returns a type that is not JSON.
#[tool]
fn output_without_derives() -> NotJson {
    NotJson
}

/// Returns an error that is not a `ToolError`.
#[tool]
fn foreign_error() -> Result<String, std::io::Error> {
    std::fs::read_to_string("notes.txt")
}

fn main() {}
