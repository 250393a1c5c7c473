//! Statuses and errors against what they mean.

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
fn the_providers_sentence_is_found_wherever_it_stands() {
    for body in [
        json!({"error": {"message": "no such model"}}),
        json!([{"error": {"message": "no such model"}}]),
        json!({"error": "no such model"}),
        json!({"message": "no\u{1b}such\n model"}),
    ] {
        let error = refused(404, body.to_string().as_bytes());

        assert_eq!(
            error.to_string(),
            "the provider answered with status 404: no such model",
            "{body}"
        );
    }
}

#[test]
fn a_status_without_words_is_named() {
    for (status, body, message) in [
        (501, "<html>oops</html>", "Not Implemented"),
        (
            302,
            "",
            "it wants the request at another address; put that into the base URL",
        ),
        (599, "[]", "it says no more"),
    ] {
        let expected = ModelError::Refused {
            status,
            message: message.to_owned(),
        };
        assert_eq!(refused(status, body.as_bytes()), expected);
    }
}

#[test]
fn only_what_passes_with_time_may_be_asked_again() {
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
fn an_account_that_is_used_up_is_no_rate_limit() {
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
fn a_provider_that_says_no_is_not_asked_again() {
    let mut headers = HeaderMap::new();
    headers.insert("x-should-retry", "false".parse().unwrap());

    for status in [429, 500, 529] {
        let error = of_status(StatusCode::from_u16(status).unwrap(), &headers, b"");

        assert!(!error.is_retryable(), "{error}");
    }
}

#[test]
fn an_error_in_a_stream_is_told_apart_by_its_code() {
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
        ("error", &refused),
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
fn a_refused_key_never_shows_the_providers_words() {
    let body = json!({"error": {"message": "Incorrect key: sk-abc"}}).to_string();

    assert_eq!(refused(401, body.as_bytes()), ModelError::Unauthorized);
    assert_eq!(refused(403, body.as_bytes()), ModelError::Unauthorized);
}

#[test]
fn a_long_message_is_cut_to_one_line() {
    let line = shortened(&"é\n".repeat(1000));

    assert_eq!(line.chars().count(), MAX_MESSAGE + 1);
    assert!(!line.contains('\n'));
}
