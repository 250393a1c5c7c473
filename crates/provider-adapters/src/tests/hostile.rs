//! Arbitrary JSON values as responses.

use proptest::prelude::*;
use serde_json::{Value, json};
use tool_core::ErrorCode;

use crate::{DecodedCall, Provider, decode};

const KEYS: [&str; 30] = [
    "choices",
    "message",
    "content",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "id",
    "output",
    "type",
    "input",
    "call_id",
    "toolUse",
    "toolUseId",
    "candidates",
    "parts",
    "functionCall",
    "args",
    "params",
    "result",
    "error",
    "code",
    "failed_generation",
    "finish_reason",
    "stopReason",
    "status",
    "text",
    "thinking",
    "summary",
    "reasoningContent",
];

const WORDS: [&str; 12] = [
    "",
    "f",
    "{}",
    "{\"k\":",
    "[1]",
    "function_call",
    "tool_use",
    "message",
    "reasoning",
    "tool_use_failed",
    "<function=f>{",
    "incomplete",
];

/// Values with the members of responses at arbitrary positions.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(json!(7)),
        prop::sample::select(WORDS.to_vec()).prop_map(Value::from),
    ];
    leaf.prop_recursive(7, 60, 5, |inner| {
        let member = (prop::sample::select(KEYS.to_vec()), inner.clone());
        let members = prop::collection::vec(member, 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::from),
            members.prop_map(|members| {
                let members = members
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value));
                Value::Object(members.collect())
            }),
        ]
    })
}

/// Returns `true` if the call has an id and either arguments or an error.
fn is_whole(call: &DecodedCall) -> bool {
    let usable = call.arguments.as_ref().is_some_and(Value::is_object);
    let reported = matches!(
        call.error,
        Some(ErrorCode::InvalidArguments | ErrorCode::TruncatedArguments)
    );
    !call.id.is_empty() && usable != reported
}

proptest! {
    #![proptest_config(super::cases(1500))]

    #[test]
    fn every_call_has_arguments_or_error(response in values()) {
        for provider in Provider::ALL {
            let Ok(decoded) = decode(*provider, &response, None) else {
                continue;
            };

            prop_assert!(decoded.calls.iter().all(is_whole), "{}: {:?}", provider, decoded.calls);
        }
    }
}
