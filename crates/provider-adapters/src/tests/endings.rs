//! A response counts as finished only if its provider says so.

use serde_json::{Value, json};

use crate::{Decoded, Finish, Provider, decode};

/// Returns a response with text that ends for this reason.
fn ended(provider: Provider, reason: &str) -> Decoded {
    let text = json!({"type": "text", "text": "Half"});
    let response = match provider {
        Provider::Anthropic => json!({"content": [text], "stop_reason": reason}),
        Provider::Bedrock => {
            json!({"output": {"message": {"content": [{"text": "Half"}]}}, "stopReason": reason})
        }
        Provider::Gemini | Provider::GeminiOpenApi => {
            json!({"candidates": [{"content": {"parts": [{"text": "Half"}]}, "finishReason": reason}]})
        }
        Provider::Ollama => json!({"message": {"content": "Half"}, "done_reason": reason}),
        Provider::Cohere => json!({"message": {"content": [text]}, "finish_reason": reason}),
        Provider::OpenAiResponses => {
            json!({"status": reason, "output": [{"type": "message", "content": [text]}]})
        }
        Provider::Mcp => json!({"content": text, "stopReason": reason}),
        _ => json!({"choices": [{"message": {"content": "Half"}, "finish_reason": reason}]}),
    };
    decode(provider, &response, None).unwrap()
}

#[test]
fn unknown_reason_is_no_end_in_any_dialect() {
    for provider in Provider::ALL {
        let decoded = ended(*provider, "some_new_reason");

        assert_eq!(
            (decoded.text.as_str(), decoded.finish),
            ("Half", Finish::Other),
            "{provider}"
        );
    }
}

#[test]
fn blocked_and_truncated_answers_of_gemini_are_no_ends() {
    for (reason, finish) in [
        ("CONTINUATION", Finish::Length),
        ("MODEL_ARMOR", Finish::Filtered),
        ("ESCALATION", Finish::Filtered),
        ("PUP_LIMITED_DISABLED", Finish::Filtered),
        ("LANGUAGE", Finish::Filtered),
        ("MALFORMED_RESPONSE", Finish::Error),
        ("MISSING_THOUGHT_SIGNATURE", Finish::Error),
        ("FINISH_REASON_UNSPECIFIED", Finish::Other),
        ("NO_IMAGE", Finish::Other),
    ] {
        assert_eq!(ended(Provider::Gemini, reason).finish, finish, "{reason}");
    }
}

#[test]
fn announced_calls_that_are_missing_are_no_end() {
    for (provider, reason) in [
        (Provider::OpenAi, "tool_calls"),
        (Provider::Mistral, "tool_calls"),
        (Provider::Anthropic, "tool_use"),
        (Provider::Bedrock, "tool_use"),
        (Provider::Cohere, "TOOL_CALL"),
        (Provider::Mcp, "toolUse"),
    ] {
        assert_eq!(ended(provider, reason).finish, Finish::Other, "{provider}");
    }
}

#[test]
fn copilot_choices_with_text_and_calls_are_one_answer() {
    let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let choice =
        |message: Value, reason: &str| json!({"message": message, "finish_reason": reason});
    let response = json!({"choices": [
        choice(json!({"content": "I look."}), "tool_calls"),
        choice(json!({"content": null, "tool_calls": [call]}), "tool_calls"),
    ]});

    let decoded = decode(Provider::Copilot, &response, None).unwrap();

    let calls: Vec<&str> = decoded.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!((decoded.text.as_str(), calls), ("I look.", vec!["a"]));
    assert_eq!(
        (decoded.finish, decoded.choices.len(), decoded.order.len()),
        (Finish::Calls, 0, 0)
    );
}
