//! Retries of failed calls.

use super::*;
use crate::middleware::Retry;
use crate::{CallOptions, CancellationToken, SideEffects, ToolCall};

/// Creates a tool that fails with `error` in all runs but the third.
fn third_time_lucky(definition: ToolDefinition, error: fn() -> ToolError) -> DynamicTool {
    counting(definition, move |run, _| async move {
        if run == 3 {
            Ok("done".into())
        } else {
            Err(error())
        }
    })
}

fn idempotent(risk: RiskLevel) -> ToolDefinition {
    let hints = Hints {
        idempotent: true,
        ..Hints::of(risk)
    };
    definition("f", risk).with_hints(hints)
}

#[tokio::test(start_paused = true)]
async fn retries_transient_errors_of_idempotent_calls() {
    let failed: fn() -> ToolError = || ToolError::failed("No");
    let reading = definition("f", RiskLevel::ReadOnly);
    let writing = definition("f", RiskLevel::SafeWrite);
    for (definition, error, attempts) in [
        (reading.clone(), busy as fn() -> ToolError, 3),
        (reading, failed, 1),
        (idempotent(RiskLevel::Dangerous), busy, 3),
        (writing, busy, 1),
    ] {
        let tool = third_time_lucky(definition.clone(), error);

        let result = registry(Retry::when_safe(5), [tool])
            .execute("f", json!({}))
            .await;

        assert_eq!(result.metadata.attempts, attempts, "{definition:?}");
        assert_eq!(result.success, attempts == 3, "{definition:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn does_not_retry_writing_arguments_of_reader() {
    struct Sometimes(DynamicTool);
    impl crate::Tool for Sometimes {
        fn definition(&self) -> &ToolDefinition {
            self.0.definition()
        }
        fn prepare<'a>(
            &'a self,
            cx: &'a ToolContext,
            arguments: &'a crate::Arguments<'a>,
        ) -> Result<crate::PreparedCall<'a>, ToolError> {
            Ok(self
                .0
                .prepare(cx, arguments)?
                .at_least(RiskLevel::Dangerous))
        }
    }
    let tool = third_time_lucky(definition("f", RiskLevel::ReadOnly), busy);
    let registry = registry(Retry::when_safe(5), []);
    registry.register(Sometimes(tool)).unwrap();

    let result = registry.execute("f", json!({})).await;

    assert_eq!(
        (code(&result), result.metadata.attempts),
        (ErrorCode::Unavailable, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn returns_last_error_after_all_attempts() {
    let tool = counting(definition("f", RiskLevel::ReadOnly), |run, _| async move {
        Err(busy().suggest(format!("Run {run}.")))
    });

    let result = registry(Retry::when_safe(3), [tool])
        .execute("f", json!({}))
        .await;

    assert_eq!(result.to_string(), "Error: The service is busy. Run 3.");
    assert_eq!(result.metadata.attempts, 3);
}

#[tokio::test(start_paused = true)]
async fn delays_double_with_jitter() {
    let tool = counting(definition("f", RiskLevel::ReadOnly), |_, _| async {
        Err(busy())
    });
    let retry = Retry::when_safe(5).delays(seconds(1), seconds(3));
    let started = tokio::time::Instant::now();

    let result = registry(retry, [tool]).execute("f", json!({})).await;

    // Delays of at most 1, 2, 3 and 3 seconds, each shortened by up to half. The timers have a resolution of 1 ms.
    let (waited, most) = (started.elapsed(), seconds(9) + Duration::from_millis(8));
    assert!(waited >= seconds(9) / 2 && waited <= most, "{waited:?}");
    assert_eq!(result.metadata.attempts, 5);
}

#[tokio::test(start_paused = true)]
async fn requested_delay_applies_up_to_maximum() {
    for (asked, waited, attempts) in [(seconds(4), seconds(8), 3), (seconds(11), seconds(0), 1)] {
        let tool = counting(
            definition("f", RiskLevel::ReadOnly),
            move |_, _| async move { Err(busy().with_retry_after(asked)) },
        );
        let started = tokio::time::Instant::now();

        let result = registry(Retry::when_safe(3), [tool])
            .execute("f", json!({}))
            .await;

        assert_eq!(
            (started.elapsed(), result.metadata.attempts),
            (waited, attempts)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn delay_never_exceeds_deadline() {
    let tool = counting(definition("f", RiskLevel::ReadOnly), |_, _| async {
        Err(busy().with_retry_after(seconds(4)))
    });
    let registry = registry(Retry::when_safe(9), [tool]);
    let options = CallOptions::default().with_timeout(seconds(10));
    let started = tokio::time::Instant::now();

    let result = registry
        .execute_call(&ToolCall::new("f", "{}"), &options)
        .await;

    assert_eq!(code(&result), ErrorCode::Unavailable, "not a timeout");
    assert_eq!(
        (started.elapsed(), result.metadata.attempts),
        (seconds(8), 3)
    );
}

#[tokio::test(start_paused = true)]
async fn cancelled_call_is_not_retried() {
    let tool = counting(definition("f", RiskLevel::ReadOnly), |_, _| async {
        Err(busy().with_retry_after(seconds(9)))
    });
    let registry = registry(Retry::when_safe(3), [tool]);
    let stop = CancellationToken::new();
    let options = CallOptions::default().with_cancellation(stop.clone());
    let started = tokio::time::Instant::now();

    let cancel = async {
        tokio::time::sleep(seconds(1)).await;
        stop.cancel();
    };
    let call = ToolCall::new("f", "{}");
    let (result, ()) = tokio::join!(registry.execute_call(&call, &options), cancel);

    assert_eq!(code(&result), ErrorCode::Cancelled);
    assert_eq!(
        (started.elapsed(), result.metadata.attempts),
        (seconds(1), 1)
    );
}

#[tokio::test(start_paused = true)]
async fn retry_delay_does_not_count_as_idle() {
    for runs_at_once in [true, false] {
        let tool = counting(
            definition("f", RiskLevel::ReadOnly),
            move |run, _| async move {
                if !runs_at_once {
                    tokio::task::yield_now().await;
                }
                if run == 3 {
                    Ok("done".into())
                } else {
                    Err(busy())
                }
            },
        );
        let patient = Retry::when_safe(5).delays(seconds(5), seconds(5));
        let options = CallOptions::default().with_idle_timeout(seconds(1));

        let result = registry(patient, [tool])
            .execute_call(&ToolCall::new("f", "{}"), &options)
            .await;

        assert!(result.success, "{result}");
        assert_eq!(result.metadata.attempts, 3);
    }
}

#[tokio::test(start_paused = true)]
async fn last_of_several_attempts_cannot_say_that_nothing_was_done() {
    let tool = counting(idempotent(RiskLevel::SafeWrite), |_, _| async {
        Err(busy().with_side_effects(SideEffects::None))
    });
    for (attempts, side_effects) in [(1, SideEffects::None), (3, SideEffects::Possible)] {
        let result = registry(Retry::when_safe(attempts), [tool.clone()])
            .execute("f", json!({}))
            .await;

        assert_eq!(result.metadata.attempts, attempts);
        assert_eq!(result.metadata.side_effects, side_effects);
    }
}
