//! Decoder of complete responses.

use std::collections::HashSet;

use serde_json::Value;
use tool_core::{ErrorCode, ProviderTools};
use tool_json::{surrogates, wide_numbers};

use crate::decoded::{
    ArgumentsError, Choice, LOCAL_ID, RawArguments, ReceivedCall, parse_arguments,
};
use crate::providers::{anthropic, openai};
use crate::transcript::reasoning_text;
use crate::{DecodeError, Decoded, DecodedCall, Finish, Provider, Usage, Wire};

/// Decodes a complete response. With `tools`, names and keys are mapped back to the definitions, and
/// added nulls are removed.
///
/// Arguments are parsed strictly and never repaired.
///
/// # Errors
/// Returns [`DecodeError`] if `response` is not a response of this provider. An error inside a
/// response is returned as [`Decoded::stream_error`].
///
/// # Examples
/// ```
/// use provider_adapters::{Finish, Provider, decode};
/// use serde_json::json;
///
/// let response = json!({
///     "content": [{"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}}],
///     "stop_reason": "tool_use",
/// });
/// let decoded = decode(Provider::Anthropic, &response, None)?;
/// assert_eq!(decoded.finish, Finish::Calls);
/// assert_eq!(decoded.calls[0].name, "add");
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
pub fn decode(
    provider: Provider,
    response: &Value,
    tools: Option<&ProviderTools>,
) -> Result<Decoded, DecodeError> {
    let response = response.as_object().ok_or(DecodeError::NotAnObject)?;
    let wire = provider.wire();
    let response = wire.endpoint.adapted(response);
    let choices = (wire.decode)(&response)?;
    let usage = wire.endpoint.usage(&response);
    Ok(assemble(wire, choices, usage, tools))
}

/// Like [`decode`](decode()), but parses the body of a response. Lone surrogates are replaced with
/// U+FFFD and numbers that 64 bits do not hold are kept as text; notes state how many.
///
/// # Errors
/// Returns [`DecodeError::NotJson`] if the body is not JSON, and the errors of [`decode`](decode()).
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, decode_bytes};
///
/// let body = br#"{"message": {"content": "a\ud83c"}, "done_reason": "stop"}"#;
/// let decoded = decode_bytes(Provider::Ollama, body, None)?;
/// assert_eq!((decoded.text.as_str(), decoded.notes.len()), ("a\u{fffd}", 1));
/// # Ok::<_, provider_adapters::DecodeError>(())
/// ```
pub fn decode_bytes(
    provider: Provider,
    body: &[u8],
    tools: Option<&ProviderTools>,
) -> Result<Decoded, DecodeError> {
    let quoted = wide_numbers::quote(body);
    let (body, wide) = quoted
        .as_ref()
        .map_or((body, 0), |(text, wide)| (text.as_slice(), *wide));
    let (response, replaced) = parsed(body)?;
    let mut decoded = decode(provider, &response, tools)?;
    decoded.notes.extend(notes(replaced, wide));
    Ok(decoded)
}

/// Returns the parsed body and the number of replaced surrogates.
fn parsed(body: &[u8]) -> Result<(Value, usize), DecodeError> {
    let not_json = |error: serde_json::Error| DecodeError::NotJson(error.to_string());
    match serde_json::from_slice(body) {
        Ok(response) => Ok((response, 0)),
        Err(error) => {
            // serde_json rejects escapes of lone surrogates. Losing one character is better than losing the response.
            let (text, replaced) = surrogates::replace(body).ok_or_else(|| not_json(error))?;
            let response = serde_json::from_slice(&text).map_err(not_json)?;
            Ok((response, replaced))
        }
    }
}

/// Returns notes about replaced surrogates and numbers that were kept as text.
pub(super) fn notes(replaced: usize, wide: usize) -> impl Iterator<Item = String> {
    [
        (replaced, "lone surrogates were replaced with U+FFFD"),
        (wide, "numbers of more than 64 bits were kept as text"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
}

/// Returns the first choice, which contains the others.
pub(super) fn assemble(
    wire: &Wire,
    mut choices: Vec<Choice>,
    usage: Option<Usage>,
    tools: Option<&ProviderTools>,
) -> Decoded {
    let reasoning = choices.iter_mut().flat_map(|choice| &mut choice.reasoning);
    reasoning.for_each(|reasoning| openai::add_server(reasoning, wire.name));
    let mut decoded = choices.into_iter().map(|choice| choice.finish(tools));
    let mut first = decoded.next().unwrap_or_default();
    first.choices = decoded.collect();
    first.usage = usage;
    first
}

impl Choice {
    /// Assigns ids, parses arguments and determines the finish reason.
    pub(crate) fn finish(self, tools: Option<&ProviderTools>) -> Decoded {
        let is_truncated = self.is_truncated || self.finish == Finish::Length;
        let calls = finish_calls(self.calls, is_truncated, tools);
        let has_complete_calls = !is_truncated && !calls.is_empty();
        let reported = match self.finish {
            // Some servers never send a reason. A response that was truncated has an error instead.
            Finish::Other if self.finish_raw.is_none() && !self.text.is_empty() => Finish::Stop,
            reported => reported,
        };
        let usual = anthropic::usual_order(&self.reasoning, &self.text, calls.len());
        Decoded {
            text: self.text,
            reasoning: reasoning_text(&self.reasoning),
            finish: finish_of(reported, self.error.is_some(), has_complete_calls),
            calls,
            finish_raw: self.finish_raw,
            stream_error: self.error,
            reasoning_blocks: self.reasoning,
            order: match self.order {
                // `encode` restores the usual order, so only another one is kept.
                order if order == usual => Vec::new(),
                order => order,
            },
            ..Decoded::default()
        }
    }
}

/// Converts the calls. `truncated` states whether the response reached a limit.
fn finish_calls(
    calls: Vec<ReceivedCall>,
    truncated: bool,
    tools: Option<&ProviderTools>,
) -> Vec<DecodedCall> {
    let last = calls.len().saturating_sub(1);
    let mut ids = Ids::of(&calls);
    calls
        .into_iter()
        .enumerate()
        .map(|(position, call)| {
            let (id, id_generated) = ids.assign(position, call.id.as_deref());
            // Only the last call can be truncated by a limit: more output followed the others.
            let call = parse_call(call, truncated && position == last);
            let call = DecodedCall {
                id,
                id_generated,
                ..call
            };
            map_back(call, tools)
        })
        .collect()
}

fn finish_of(reported: Finish, failed: bool, has_complete_calls: bool) -> Finish {
    match reported {
        _ if failed => Finish::Error,
        Finish::Length | Finish::Filtered | Finish::Error => reported,
        // Calls count even if the reason is `stop`: Gemini and several compatible servers report it with calls.
        _ if has_complete_calls => Finish::Calls,
        // The stop reason announced calls, but there are none.
        Finish::Calls => Finish::Other,
        other => other,
    }
}

fn parse_call(call: ReceivedCall, truncated: bool) -> DecodedCall {
    let arguments = match call.arguments {
        // Free text has no syntax that shows whether it is complete.
        arguments @ RawArguments::Value(_)
            if truncated && is_free_text(call.provider_data.as_ref()) =>
        {
            RawArguments::Incomplete(arguments.into_text())
        }
        arguments => arguments,
    };
    let (raw, parsed) = parse_arguments(arguments, truncated);
    let (arguments, error) = match parsed {
        Ok(object) => (Some(Value::Object(object)), None),
        Err(ArgumentsError::Invalid) => (None, Some(ErrorCode::InvalidArguments)),
        Err(ArgumentsError::Truncated) => (None, Some(ErrorCode::TruncatedArguments)),
    };
    DecodedCall {
        id: String::new(),
        name: call.name,
        arguments,
        raw,
        error,
        is_mapped: false,
        id_generated: false,
        provider_data: call.provider_data,
    }
}

fn is_free_text(provider_data: Option<&Value>) -> bool {
    provider_data.is_some_and(|data| data.get("type") == Some(&"custom".into()))
}

fn map_back(mut call: DecodedCall, tools: Option<&ProviderTools>) -> DecodedCall {
    if let Some(tools) = tools {
        if let Some(Value::Object(arguments)) = &mut call.arguments {
            call.is_mapped = super::arguments_from_wire(tools, &call.name, arguments);
        }
        call.name = tools.canonical_name(&call.name).to_owned();
    }
    call
}

/// Unique ids of one response.
struct Ids {
    given: HashSet<String>,
    used: HashSet<String>,
}

impl Ids {
    fn of(calls: &[ReceivedCall]) -> Self {
        Self {
            given: calls.iter().filter_map(|call| call.id.clone()).collect(),
            used: HashSet::new(),
        }
    }

    /// Returns the provider's id if it is usable, otherwise a generated one, and whether it was
    /// generated.
    fn assign(&mut self, position: usize, given: Option<&str>) -> (String, bool) {
        // Mistral sends the word `null` for a missing id.
        let given = given.filter(|id| !id.trim().is_empty() && *id != "null");
        // Servers repeat ids, but each call needs its own, because results are matched by id.
        if let Some(id) = given
            && self.used.insert(id.to_owned())
        {
            return (id.to_owned(), false);
        }
        let mut number = position;
        loop {
            let id = format!("{LOCAL_ID}{number}");
            if !self.given.contains(&id) && self.used.insert(id.clone()) {
                return (id, true);
            }
            number += self.given.len() + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(id: Option<&str>, arguments: &str) -> ReceivedCall {
        ReceivedCall {
            id: id.map(str::to_owned),
            name: "f".to_owned(),
            arguments: RawArguments::Text(arguments.to_owned()),
            provider_data: None,
        }
    }

    fn answer(finish: Finish, calls: Vec<ReceivedCall>) -> Choice {
        Choice {
            calls,
            finish,
            ..Choice::default()
        }
    }

    #[test]
    fn generates_ids_from_position_if_unusable() {
        let given = [None, Some(" "), Some("null"), Some("a"), Some("a")];
        let calls = given.iter().map(|id| call(*id, "{}")).collect();

        let decoded = answer(Finish::Stop, calls).finish(None);

        let ids: Vec<(&str, bool)> = decoded
            .calls
            .iter()
            .map(|call| (call.id.as_str(), call.id_generated))
            .collect();
        assert_eq!(
            ids,
            [
                ("local_0", true),
                ("local_1", true),
                ("local_2", true),
                ("a", false),
                ("local_4", true)
            ]
        );
    }

    #[test]
    fn generated_ids_differ_from_provider_ids() {
        let calls = vec![call(None, "{}"), call(Some("local_0"), "{}")];

        let decoded = answer(Finish::Stop, calls).finish(None);

        assert_ne!(decoded.calls[0].id, decoded.calls[1].id);
        assert_eq!(decoded.calls[1].id, "local_0");
    }

    #[test]
    fn truncates_only_last_call_of_cut_response() {
        let calls = vec![
            call(Some("a"), "{\"x\":"),
            call(Some("b"), "{}"),
            call(Some("c"), ""),
        ];

        let decoded = answer(Finish::Length, calls).finish(None);

        let errors: Vec<Option<ErrorCode>> =
            decoded.calls.into_iter().map(|call| call.error).collect();
        assert_eq!(
            errors,
            [
                Some(ErrorCode::InvalidArguments),
                None,
                Some(ErrorCode::TruncatedArguments)
            ]
        );
        assert_eq!(decoded.finish, Finish::Length);
    }

    #[test]
    fn calls_take_precedence_over_stop_reason() {
        let decoded = answer(Finish::Stop, vec![call(Some("a"), "{\"x\":1}")]).finish(None);

        assert_eq!(decoded.finish, Finish::Calls);
        assert_eq!(decoded.calls[0].arguments, Some(json!({"x": 1})));
    }
}
