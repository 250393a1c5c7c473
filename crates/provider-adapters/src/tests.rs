//! Properties and round trips that involve the complete crate.

mod broken;
mod cache;
mod derived;
mod diff;
mod endings;
mod generated;
mod hostile;
mod inverse;
mod laws;
mod legal;
mod meaning;
mod round_trip;
mod sent_back;
mod streamed;
mod streams;
mod turn_order;
mod unions;

use proptest::test_runner::Config as ProptestConfig;
use serde_json::Value;

/// Returns a configuration with `PROPTEST_CASES` cases. The default is `usual`.
fn cases(usual: u32) -> ProptestConfig {
    let source = std::env::var("PROPTEST_CASES").ok();
    let source = source.and_then(|cases| cases.parse().ok());
    ProptestConfig::with_cases(source.unwrap_or(usual))
}

/// Returns the first input schema in the converted tools.
fn sent_schema(tools: &Value) -> Option<Value> {
    let keys = [
        "parameters",
        "parametersJsonSchema",
        "input_schema",
        "inputSchema",
    ];
    match tools {
        Value::Array(items) => items.iter().find_map(sent_schema),
        Value::Object(members) => {
            let found = keys.iter().find_map(|key| members.get(*key));
            match found.map(|schema| schema.get("json").unwrap_or(schema)) {
                Some(schema) => Some(schema.clone()),
                None => members.values().find_map(sent_schema),
            }
        }
        _ => None,
    }
}
