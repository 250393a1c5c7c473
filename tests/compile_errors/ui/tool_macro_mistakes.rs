use tool_core::{ToolContext, data, tool};

#[tool]
fn without_description() {}

/// Adds.
#[tool]
fn generic<T>(a: T) {}

/// Adds.
#[tool]
fn borrowed(text: &str) {}

/// Adds.
#[tool]
fn borrowed_inside(texts: Vec<Option<&'static str>>) {}

struct Note<'a> {
    text: &'a str,
}

/// Adds.
#[tool]
fn borrowed_field(note: Note<'_>) {}

#[data]
struct Data<'a> {
    text: &'a str,
}

/// Adds.
#[tool(level = 3)]
fn unknown_option() {}

/// Adds.
#[tool(risk = harmless)]
fn unknown_risk() {}

/// Adds.
#[tool(name = "add numbers")]
fn name_with_blank() {}

/// Adds.
#[tool]
fn unknown_parameter_option(#[tool(maximum = 3)] a: i64) {}

/// Adds.
#[tool]
fn half_open_range(#[tool(range = 1..3)] a: i64) {}

/// Adds.
#[tool]
fn default_out_of_range(#[tool(default = -1, range = 0..=9)] a: i64) {}

/// Adds.
#[tool]
fn default_too_long(#[tool(default = "abc", max_length = 2)] a: String) {}

/// Adds.
#[tool]
fn pattern((a, b): (i64, i64)) {}

/// Adds.
#[tool]
fn two_contexts(one: &ToolContext, other: &ToolContext) {}

#[data(strict)]
struct Input {}

fn main() {}
