//! Contexts that tools keep after their call, and reused contexts. Calls never see the state of
//! other calls.

use std::sync::{Mutex, PoisonError};

use super::*;
use crate::{
    CallOptions, CancellationToken, ContentBlock, Extensions, ToolCall, ToolContext, ToolError,
};

/// Contexts and tokens of finished calls.
#[derive(Default)]
struct RetainedContexts(Mutex<Vec<(String, ToolContext, Option<CancellationToken>)>>);

impl RetainedContexts {
    fn keep(&self, cx: &ToolContext, token: Option<CancellationToken>) {
        let mut retained = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        retained.push((cx.call_id().to_owned(), cx.clone(), token));
        if retained.len() < 20 {
            return;
        }
        // Late messages of finished calls.
        for (id, cx, token) in retained.drain(..10) {
            assert_eq!(cx.call_id(), id);
            meddle(&cx);
            if let Some(token) = token {
                token.cancel();
            }
        }
    }
}

fn meddle(cx: &ToolContext) {
    cx.warn("late");
    cx.note("late", true);
    cx.attach(ContentBlock::text("late"));
    cx.partial("late");
    cx.cancellation().cancel();
}

/// Checks that a context is new, and returns the id of its call.
fn look(cx: &ToolContext) -> Result<String, ToolError> {
    let is_new = !cx.cancellation().is_cancelled()
        && cx.take_additions().is_none()
        && cx.extension::<u32>().is_none()
        && cx.deadline().is_some()
        && cx.tool_name() == "f";
    if is_new {
        Ok(cx.call_id().to_owned())
    } else {
        Err(ToolError::failed("It is a context of another call"))
    }
}

async fn run(
    cx: ToolContext,
    how: u64,
    retained: &RetainedContexts,
) -> Result<ToolOutput, ToolError> {
    let id = look(&cx)?;
    match how {
        1 => cx.warn(id.as_str()),
        2 => retained.keep(&cx, None),
        3 => retained.keep(&cx, Some(cx.cancellation().clone())),
        4 => retained.keep(&cx, Some(cx.cancellation().child())),
        5 => {
            let late = cx.clone();
            drop(tokio::spawn(async move {
                tokio::task::yield_now().await;
                meddle(&late);
            }));
        }
        6 => drop(std::thread::spawn(move || meddle(&cx))),
        7 => panic!("a bug of the tool"),
        8 => return forever().await,
        9 => tokio::task::yield_now().await,
        10 => meddle(&cx.with_extensions(Extensions::default().with(1_u32))),
        11 => meddle(&cx.with_cancellation(CancellationToken::new())),
        12 => cx.cancellation().cancel(),
        13 => retained.keep(&cx.with_cancellation(cx.cancellation().child()), None),
        _ => {}
    }
    Ok(ToolOutput::text(id))
}

fn registry() -> Registry {
    let retained = Arc::new(RetainedContexts::default());
    registry_of(
        definition("f", RiskLevel::ReadOnly),
        move |cx, arguments| {
            let retained = Arc::clone(&retained);
            async move { run(cx, arguments["how"].as_u64().unwrap_or_default(), &retained).await }
        },
    )
}

/// Checks that a result has its own id and no messages of other calls.
fn check(result: &ToolResult, how: u64) {
    match how {
        7 => assert_eq!(code(result), &ErrorCode::Panic),
        8 => assert_eq!(code(result), &ErrorCode::Timeout),
        _ => assert_eq!(
            result.content.first(),
            Some(&ContentBlock::text(&*result.id)),
            "{how} {result}"
        ),
    }
    let warnings = if how == 1 {
        vec![result.id.to_string()]
    } else {
        Vec::new()
    };
    // Messages of other threads may arrive before the call ends.
    if how != 5 && how != 6 {
        assert_eq!(result.warnings, warnings, "{how}");
        assert!(result.metadata.extra.is_empty(), "{how}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reused_buffers_do_not_leak_between_calls() {
    // Separate lists, so that a call has finished before its context is misused; the reused contexts are shared.
    let workers = (0..8_u64).map(|worker| {
        let registry = registry();
        tokio::spawn(async move {
            for call in 0..600 {
                let how = (call * 7 + worker * 5 + call / 15) % 15;
                let options = CallOptions::default().with_timeout(Duration::from_millis(1));
                let arguments = json!({"how": how});
                let result = match call % 3 {
                    _ if how == 8 => {
                        let call = ToolCall::new("f", arguments.to_string());
                        registry.execute_call(&call, &options).await
                    }
                    0 => registry.execute("f", arguments).await,
                    _ => registry.execute("f", &arguments.to_string()).await,
                };
                check(&result, how);
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
}

#[tokio::test]
async fn calls_of_batch_have_own_contexts() {
    let registry = registry();
    for round in 0..50_u64 {
        let hows: Vec<u64> = (0..15)
            .map(|call| (call * 4 + round) % 15)
            .filter(|how| *how != 8)
            .collect();
        let calls = hows
            .iter()
            .map(|how| ToolCall::new("f", json!({"how": how}).to_string()));

        let results = registry.execute_many(calls.collect()).await;

        for (result, how) in results.iter().zip(hows) {
            check(result, how);
        }
    }
}
