//! Recognition of contexts that are too long for the model.

use crate::ModelError;

/// Codes, in lowercase.
const CODES: [&str; 3] = [
    "context_length_exceeded",
    "exceed_context_size_error",
    "model_max_prompt_tokens_exceeded",
];
/// Parts of messages, in lowercase. Anthropic, Gemini, Bedrock and others send no code.
const MESSAGES: [&str; 13] = [
    "context length",
    "context limit",
    "context size",
    "context window",
    "exceeds the limit of",
    "input is too long",
    "input token count",
    "input tokens exceed",
    "maximum prompt length",
    "prompt is too long",
    "too large for model with",
    "too many input tokens",
    "too many tokens",
];
/// Smaller numbers in a message are not token counts.
const SMALLEST: u64 = 100;

/// Returns the error if the provider rejected the request because its context is too long.
pub(super) fn context_too_long(code: &str, message: &str) -> Option<ModelError> {
    let (code, message) = (code.to_ascii_lowercase(), message.to_ascii_lowercase());
    let is_known = CODES.contains(&code.as_str());
    // Limits per minute name tokens, too.
    let is_rate = message.contains("per minute") || message.contains("per day");
    if !is_known && (is_rate || !MESSAGES.iter().any(|part| message.contains(part))) {
        return None;
    }
    let (limit, used) = counts(&message);
    Some(ModelError::ContextTooLong { limit, used })
}

/// Returns the limit and the used tokens of a message.
fn counts(message: &str) -> (Option<u64>, Option<u64>) {
    let numbers = numbers(message);
    match numbers.as_slice() {
        // Anthropic: `190000 + 20000 > 200000`.
        [input, output, limit, ..] if message.contains(" + ") => {
            (Some(*limit), Some(input.saturating_add(*output)))
        }
        [first, second, ..] => (Some(*first.min(second)), Some(*first.max(second))),
        [only] => (Some(*only), None),
        [] => (None, None),
    }
}

fn numbers(message: &str) -> Vec<u64> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, ',' | '.' | '_' | '-');
    message
        .split(|c: char| !is_word(c))
        .map(|word| word.trim_matches(['.', ',']).replace(',', ""))
        .filter_map(|word| word.parse().ok())
        .filter(|number| *number >= SMALLEST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_message_of_every_provider() {
        for (code, message, limit, used) in [
            (
                "context_length_exceeded",
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 10011 tokens.",
                Some(8192),
                Some(10_011),
            ),
            (
                "context_length_exceeded",
                "Your input exceeds the context window of this model. Please adjust your input and try again.",
                None,
                None,
            ),
            (
                "invalid_request_error",
                "prompt is too long: 210000 tokens > 200000 maximum",
                Some(200_000),
                Some(210_000),
            ),
            (
                "invalid_request_error",
                "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length",
                Some(200_000),
                Some(210_000),
            ),
            (
                "INVALID_ARGUMENT",
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
                Some(1_048_576),
                Some(1_200_000),
            ),
            (
                "ValidationException",
                "Input is too long for requested model.",
                None,
                None,
            ),
            (
                "error",
                "too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 130001. Try a shorter prompt.",
                Some(128_000),
                Some(130_001),
            ),
            (
                "3051",
                "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
                Some(32_768),
                Some(40_000),
            ),
            (
                "invalid-argument",
                "This model's maximum prompt length is 131072 but the request contains 200000 tokens.",
                Some(131_072),
                Some(200_000),
            ),
            (
                "400",
                "This endpoint's maximum context length is 128,000 tokens. However, you requested about 150,000 tokens (140,000 of text input, 10,000 in the output).",
                Some(128_000),
                Some(150_000),
            ),
            (
                "model_max_prompt_tokens_exceeded",
                "prompt token count of 130000 exceeds the limit of 128000",
                Some(128_000),
                Some(130_000),
            ),
            (
                "error",
                "input length exceeds the maximum context length",
                None,
                None,
            ),
            (
                "exceed_context_size_error",
                "the request exceeds the available context size (4096 tokens), try increasing it",
                Some(4096),
                None,
            ),
        ] {
            let error = context_too_long(code, message);

            let expected = ModelError::ContextTooLong { limit, used };
            assert_eq!(error, Some(expected), "{message}");
        }
    }

    #[test]
    fn ignores_other_errors() {
        for (code, message) in [
            (
                "rate_limit_exceeded",
                "Limit 6000, requested 8000 tokens per minute; too many tokens",
            ),
            (
                "invalid_request_error",
                "max_tokens: 9000 > 8192, which is the maximum",
            ),
            ("model_not_found", "no such model"),
        ] {
            assert_eq!(context_too_long(code, message), None, "{message}");
        }
    }
}
