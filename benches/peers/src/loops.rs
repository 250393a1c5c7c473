//! The same run in two agent loops: a scripted model that calls one of 20 tools in each turn.

mod ours;
mod rig;

use benches::measure::Case;
use serde_json::{Value, json};

/// Number of turns with a call. One turn with the answer follows.
pub const TURNS: usize = 20;
/// Number of registered tools.
pub const TOOLS: usize = 20;
/// Description of each tool.
const DESCRIPTION: &str = "Adds two numbers and returns their sum.";
/// Text of the last reply.
const ANSWER: &str = "The sums are complete.";

/// Returns one run of each loop.
#[must_use]
pub fn subjects() -> Vec<Case<'static>> {
    vec![ours::run(), rig::run()]
}

fn name(tool: usize) -> String {
    format!("add_{tool}")
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "First number."},
            "b": {"type": "integer", "description": "Second number."},
        },
        "required": ["a", "b"],
    })
}

fn arguments(turn: usize) -> Value {
    json!({"a": turn, "b": 40})
}

fn sum(arguments: &Value) -> i64 {
    let number = |name| arguments.get(name).and_then(Value::as_i64);
    number("a").unwrap_or_default() + number("b").unwrap_or_default()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime without threads starts")
}
