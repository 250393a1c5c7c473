//! Messages, parameters and stored forms of errors.

use super::*;

#[test]
fn message_starts_with_renamable_parameter() {
    let error = ToolError::file_not_found("path", "does not exist");

    assert_eq!(error.message(), "`path` does not exist.");
    assert_eq!(
        error.with_parameter(Some("file_path")).message(),
        "`file_path` does not exist."
    );
}

#[test]
fn source_is_logged_and_never_shown() {
    let error = ToolError::failed("The mail server did not accept the message.")
        .caused_by("token abc at 10.0.0.1");

    assert_eq!(error.source().unwrap().to_string(), "token abc at 10.0.0.1");
    assert!(!error.to_string().contains("abc"));
    assert!(
        !serde_json::to_string(error.report())
            .unwrap()
            .contains("abc")
    );
}

#[test]
fn lists_all_issues_and_uses_first_parameter() {
    let error = ToolError::from_issues(vec![
        ValidationIssue::new("/a", "type", "an integer", "null"),
        ValidationIssue::new("", "required", "a string", "nothing").with_property("b"),
    ]);

    assert_eq!(
        error.message(),
        "The arguments do not fit: `a` must be an integer, not null; `b` is missing."
    );
    assert_eq!(error.parameter(), Some("a"));
}

#[test]
fn transient_errors_are_retryable() {
    assert!(ToolError::timeout(Duration::from_secs(1)).retryable());
    assert!(!ToolError::failed("no").retryable());
    assert!(ToolError::failed("no").with_retryable(true).retryable());
}

#[test]
fn stores_known_delay_in_milliseconds() {
    let waits = ToolError::failed("no").with_retry_after(Duration::from_millis(1500));

    let stored = serde_json::to_value(waits.report()).unwrap();
    let other = serde_json::to_value(ToolError::failed("no").report()).unwrap();

    assert!(waits.retryable());
    assert_eq!(stored["retry_after_ms"], 1500);
    assert_eq!(other.get("retry_after_ms"), None);
    assert_eq!(
        serde_json::from_value::<ErrorReport>(stored).unwrap(),
        *waits.report()
    );
}

#[test]
fn formats_durations_in_suitable_unit() {
    for (milliseconds, text) in [
        (50, "50 ms"),
        (1000, "1 second"),
        (1500, "1.5 seconds"),
        (120_000, "120 seconds"),
    ] {
        let error = ToolError::timeout(Duration::from_millis(milliseconds));

        assert_eq!(
            error.report().message,
            format!("The call timed out after {text}.")
        );
    }
}

#[test]
fn model_text_has_error_before_suggestion() {
    let error = ToolError::timeout(Duration::from_millis(1500)).suggest("Narrow the search.");

    assert_eq!(
        error.report().to_model_text(),
        "Error: The call timed out after 1.5 seconds. Narrow the search."
    );
}
