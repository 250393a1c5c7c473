//! Decoder of complete responses.

use serde_json::{Value, json};

use crate::decoded::{Choice, ReceivedCall, StreamError, read};
use crate::{DecodeError, Finish, Object, Reasoning};

pub(crate) fn decode(response: &Object) -> Result<Vec<Choice>, DecodeError> {
    let choices: Vec<Choice> = read::by_index(response, "candidates")
        .into_iter()
        .map(choice)
        .collect();
    if !choices.is_empty() {
        return Ok(choices);
    }
    if let Some(error) = read::error(response) {
        return Ok(vec![read::failed(error)]);
    }
    let feedback = read::object(response, "promptFeedback");
    let reason = feedback.and_then(|feedback| read::optional_text(feedback, "blockReason"));
    let is_response = response.contains_key("candidates") || response.contains_key("usageMetadata");
    match reason {
        // Without candidates and without a reason, the response is empty, which the caller may request again.
        None if is_response => Ok(vec![Choice::default()]),
        None => Err(DecodeError::NoAnswer("candidates")),
        reason => Ok(vec![Choice {
            finish: Finish::Filtered,
            finish_raw: reason,
            ..Choice::default()
        }]),
    }
}

fn choice(candidate: &Object) -> Choice {
    let finish_raw = read::optional_text(candidate, "finishReason");
    let mut choice = Choice {
        finish: finish(finish_raw.as_deref()),
        finish_raw,
        ..Choice::default()
    };
    if choice.finish == Finish::Error {
        choice.error = Some(malformed(candidate));
    }
    if let Some(Value::Object(content)) = candidate.get("content") {
        read::objects(content, "parts").for_each(|part| take(&mut choice, part));
    }
    choice
}

fn malformed(candidate: &Object) -> StreamError {
    let message = match read::text(candidate, "finishMessage") {
        "" => "the model's call was malformed; retry the request",
        message => message,
    };
    StreamError::new(read::text(candidate, "finishReason"), message)
}

fn take(choice: &mut Choice, part: &Object) {
    // Gemini 3 rejects a step whose first call comes back without its signature, so it stays with the call.
    let signature = part
        .get("thoughtSignature")
        .map(|signature| json!({"thoughtSignature": signature}));
    if let Some(Value::Object(call)) = part.get("functionCall") {
        choice.push_call(ReceivedCall {
            provider_data: signature,
            ..ReceivedCall::read(call, "id", "args")
        });
        return;
    }
    if !is_text(part) {
        choice.push_reasoning(Reasoning::kept(PART, part));
        return;
    }
    let text = read::text(part, "text");
    if part.get("thought") == Some(&Value::Bool(true)) {
        choice.push_reasoning(Reasoning::new(text).with_provider_data(signature));
    } else if signature.is_some() {
        choice.push_text_part(text, signature);
    } else {
        choice.push_text(text);
    }
}

/// Key of a part that is sent back unchanged, such as code that the provider ran, or a picture.
pub(super) const PART: &str = "gemini_part";

/// Returns `true` for text, thoughts, and parts that contain only a signature.
pub(super) fn is_text(part: &Object) -> bool {
    let is_known = |key: &String| matches!(key.as_str(), "text" | "thought" | "thoughtSignature");
    part.contains_key("text") || part.keys().all(is_known)
}

pub(super) fn finish(reason: Option<&str>) -> Finish {
    match reason {
        // There is no reason for calls: a response with calls ends with `STOP` too.
        Some("STOP") => Finish::Stop,
        // The answer is not complete: another request would continue it.
        Some("MAX_TOKENS" | "CONTINUATION") => Finish::Length,
        Some(
            "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION"
            | "MODEL_ARMOR"
            | "ESCALATION"
            | "PUP_LIMITED_DISABLED",
        ) => Finish::Filtered,
        Some(
            "MALFORMED_FUNCTION_CALL"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MISSING_THOUGHT_SIGNATURE"
            | "MALFORMED_RESPONSE",
        ) => Finish::Error,
        _ => Finish::Other,
    }
}
