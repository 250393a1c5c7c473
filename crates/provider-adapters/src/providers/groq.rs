//! Differences between Groq and OpenAI Chat Completions.

use serde_json::Value;

use crate::decoded::{Choice, RawArguments, ReceivedCall, read};
use crate::providers::openai;
use crate::transcript::ImageRules;
use crate::wire::{Endpoint, Extras, Wire};
use crate::{DecodeError, Finish, Object};

pub(crate) const WIRE: Wire = Wire {
    name: "groq",
    endpoint: Endpoint::CHAT_COMPLETIONS.at("https://api.groq.com/openai/v1"),
    extras: Extras {
        images: ImageRules::GROQ,
        ..Extras::NONE
    },
    // Some of the models do not support `$defs`.
    tool: openai::inlining_tool,
    decode,
    ..openai::COMPATIBLE_WIRE
};

/// Error code of a response whose call does not match its schema.
const FAILED_CALL: &str = "tool_use_failed";

fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    // With status 400, Groq rejects a call that does not fit its schema, and puts the call into the text of the error.
    let error = read::object(response, "error");
    match error.and_then(failed_call) {
        Some(call) => Ok(vec![rejected_call(response, call)]),
        None => openai::decode(response),
    }
}

/// Returns the rejected call, with the text that a stream may have sent before it.
fn rejected_call(response: &Object, call: ReceivedCall) -> Choice {
    let said = openai::decode(response).unwrap_or_default();
    let choice = said.into_iter().next().unwrap_or_default();
    Choice {
        calls: vec![call],
        order: Vec::new(),
        finish: Finish::Calls,
        finish_raw: Some(FAILED_CALL.to_owned()),
        error: None,
        ..choice
    }
}

/// Returns the rejected call, so that the model receives an error for it like for other calls with
/// invalid arguments.
pub(crate) fn failed_call(error: &Object) -> Option<ReceivedCall> {
    if read::text(error, "code") != FAILED_CALL {
        return None;
    }
    let written = read::text(error, "failed_generation").trim();
    let (name, arguments) = as_json(written).or_else(|| as_tag(written))?;
    Some(ReceivedCall {
        id: None,
        name,
        // Groq has already rejected them, so they never run, even if they parse.
        arguments: RawArguments::Invalid(arguments),
        provider_data: None,
    })
}

/// Parses `{"name": …, "arguments": {…}}`, alone or as the first item of an array.
fn as_json(written: &str) -> Option<(String, String)> {
    let mut value: Value = serde_json::from_str(written).ok()?;
    let calls = value
        .get_mut("tool_calls")
        .map(Value::take)
        .unwrap_or(value);
    let call = match calls {
        Value::Array(calls) => calls.into_iter().next()?,
        call => call,
    };
    let call = call.get("function").unwrap_or(&call);
    let name = call.get("name")?.as_str()?.to_owned();
    let arguments = ["arguments", "parameters"]
        .iter()
        .find_map(|key| call.get(*key))?;
    let text = arguments.as_str().map(str::to_owned);
    Some((name, text.unwrap_or_else(|| arguments.to_string())))
}

/// Parses `<function=name>{…}</function>`, which some models write. The `>` may be missing.
fn as_tag(written: &str) -> Option<(String, String)> {
    let (_, tagged) = written.split_once("<function=")?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    let end = tagged.find(|letter| !is_name(letter))?;
    let (name, rest) = tagged
        .split_at_checked(end)
        .filter(|(name, _)| !name.is_empty())?;
    let (arguments, _) = rest.split_once("</function>").unwrap_or((rest, ""));
    let arguments = arguments.trim_start_matches(['>', '(']).trim();
    Some((name.to_owned(), arguments.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::ErrorCode;

    use crate::{Finish, Provider, decode};

    #[test]
    fn rejected_call_has_invalid_arguments() {
        for (written, raw) in [
            (r#"{"name":"f","arguments":{"k":"x"}}"#, r#"{"k":"x"}"#),
            (r#"{"name":"f","parameters":"{\"k\":1"}"#, "{\"k\":1"),
            (
                r#"{"tool_calls":[{"function":{"name":"f","arguments":{}}}]}"#,
                "{}",
            ),
            (r#"I call <function=f>{"k":"x"}</function>"#, r#"{"k":"x"}"#),
            (r#"<function=f{"k":"x"}"#, r#"{"k":"x"}"#),
        ] {
            let error =
                json!({"code": "tool_use_failed", "message": "no", "failed_generation": written});

            let decoded = decode(Provider::Groq, &json!({"error": error}), None).unwrap();

            assert_eq!(
                (decoded.finish, &decoded.stream_error),
                (Finish::Calls, &None)
            );
            let call = &decoded.calls[0];
            assert_eq!((call.name.as_str(), call.raw.as_str()), ("f", raw));
            assert_eq!(call.error, Some(ErrorCode::InvalidArguments));
        }
    }

    #[test]
    fn rejection_without_call_stays_error() {
        for written in ["", "I would rather not.", "{}", "<function=>{}", "[[[["] {
            let error =
                json!({"code": "tool_use_failed", "message": "no", "failed_generation": written});

            let decoded = decode(Provider::Groq, &json!({"error": error}), None).unwrap();

            assert_eq!(decoded.finish, Finish::Error);
            assert_eq!(decoded.stream_error.unwrap().code, "tool_use_failed");
        }
    }
}
