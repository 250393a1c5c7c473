//! Laws and round trips that take the whole crate.

mod broken;
mod derived;
mod diff;
mod generated;
mod hostile;
mod inverse;
mod laws;
mod legal;
mod meaning;
mod round_trip;
mod streamed;
mod streams;

use proptest::test_runner::Config as ProptestConfig;
use serde_json::Value;

pub(crate) use inverse::value;

/// So many cases of a law, or as many as `PROPTEST_CASES` asks for.
fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let asked = asked.and_then(|cases| cases.parse().ok());
    ProptestConfig::with_cases(asked.unwrap_or(usual))
}

/// The first schema of arguments in what is sent, if there is one.
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
