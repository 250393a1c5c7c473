use serde_json::json;

use super::*;

fn refused(status: u16, body: &[u8]) -> ModelError {
    of_status(
        StatusCode::from_u16(status).unwrap(),
        &HeaderMap::new(),
        body,
    )
}

#[test]
fn finds_provider_message() {
    for body in [
        json!({"error": {"message": "no such model"}}),
        json!([{"error": {"message": "no such model"}}]),
        json!({"error": "no such model"}),
        json!({"message": "no\u{1b}such\n model"}),
    ] {
        let error = refused(404, body.to_string().as_bytes());

        assert_eq!(
            error.to_string(),
            "the provider rejected the request with status 404: no such model; check the base URL and the name of the model",
            "{body}"
        );
    }
}

#[test]
fn describes_status_without_message() {
    for (status, body, message) in [
        (501, "<html>oops</html>", "Not Implemented"),
        (
            302,
            "",
            "redirects are not followed; set the base URL to the new address",
        ),
        (599, "[]", "no further details"),
    ] {
        let expected = ModelError::Refused {
            status,
            message: message.to_owned(),
        };
        assert_eq!(refused(status, body.as_bytes()), expected);
    }
}

#[test]
fn transient_statuses_are_retryable() {
    for (status, retryable) in [
        (400, false),
        (401, false),
        (402, false),
        (403, false),
        (404, false),
        (408, true),
        (409, true),
        (413, false),
        (422, false),
        (429, true),
        (500, true),
        (501, false),
        (502, true),
        (503, true),
        (504, true),
        (505, false),
        (522, true),
        (529, true),
    ] {
        assert_eq!(refused(status, b"").is_retryable(), retryable, "{status}");
    }
}

#[test]
fn exhausted_quota_is_not_rate_limit() {
    for body in [
        json!({"error": {"code": "insufficient_quota", "type": "x", "message": "m"}}),
        json!({"error": {"code": null, "type": "insufficient_quota", "message": "m"}}),
        json!({"type": "billing_error"}),
    ] {
        let error = refused(429, body.to_string().as_bytes());

        assert_eq!(error, ModelError::QuotaExceeded, "{body}");
    }
}

#[test]
fn respects_header_against_retry() {
    let mut headers = HeaderMap::new();
    headers.insert("x-should-retry", "false".parse().unwrap());

    for status in [429, 500, 529] {
        let error = of_status(StatusCode::from_u16(status).unwrap(), &headers, b"");

        assert!(!error.is_retryable(), "{error}");
    }
}

#[test]
fn classifies_stream_errors_by_code() {
    let limited = ModelError::RateLimited { retry_after: None };
    let (status, message) = (200, "slow down".to_owned());
    let unavailable = ModelError::Unavailable {
        status,
        message: message.clone(),
        retry_after: None,
    };
    let refused = ModelError::Refused { status, message };
    for (code, error) in [
        ("overloaded_error", &unavailable),
        ("UNAVAILABLE", &unavailable),
        ("server_error", &unavailable),
        ("503", &unavailable),
        ("rate_limit_exceeded", &limited),
        ("RESOURCE_EXHAUSTED", &limited),
        ("throttlingException", &limited),
        ("429", &limited),
        ("insufficient_quota", &ModelError::QuotaExceeded),
        ("402", &ModelError::QuotaExceeded),
        ("401", &ModelError::Unauthorized),
        ("invalid_request_error", &refused),
        ("error", &unavailable),
        ("teapot", &unavailable),
        ("403", &ModelError::Forbidden),
        ("400", &refused),
    ] {
        let sent = json!({"code": code, "message": "slow\ndown"});

        assert_eq!(
            of_error(&serde_json::from_value(sent).unwrap()),
            *error,
            "{code}"
        );
    }
}

#[test]
fn rejected_key_hides_provider_message() {
    let body = json!({"error": {"message": "Incorrect key: sk-abc"}}).to_string();

    assert_eq!(refused(401, body.as_bytes()), ModelError::Unauthorized);
    assert_eq!(refused(403, body.as_bytes()), ModelError::Forbidden);
}

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
