//! Calls that end normally.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;
use tool_core::{CallOptions, CancellationToken, ContentBlock, Progress, ProgressSink, ToolCall};
use tool_remote::RemoteTools;

use crate::site::{Site, ledgers};
use crate::tools::{code, count, permissive, until};

async fn runs_calls_on_worker(site: Site) {
    for tool in ["look", "pay"] {
        let result = site.call(tool, json!({"text": "hi"})).await;

        assert_eq!(result.to_string(), "hi", "{result:?}");
        let worker = result.metadata.extra.get("worker").unwrap();
        assert_eq!(worker, site.worker.as_ref().unwrap().name());
    }
    assert_eq!(count(&site.runs), 2);
}

async fn remote_results_equal_local_results(site: Site) {
    let local = crate::tools::builder(&site.runs).build();
    for (tool, arguments) in [
        ("look", json!({"text": "a", "size": 3})),
        ("pay", json!({"text": "a", "size": 3})),
        ("look", json!({"text": 5})),
        ("look", json!({"unknown": true})),
        ("fail_look", json!({"text": "nothing"})),
        ("fail_look", json!({"text": "parameter"})),
        ("fail_look", json!({"text": "partial"})),
        ("fail_look", json!({"text": "panic"})),
        ("fail_pay", json!({"text": "nothing"})),
        ("fail_pay", json!({"text": "parameter"})),
        ("fail_pay", json!({"text": "partial"})),
        ("fail_pay", json!({"text": "panic"})),
    ] {
        let here = local.execute(tool, arguments.clone()).await;
        let there = site.call(tool, arguments.clone()).await;

        assert_eq!(there.to_string(), here.to_string(), "{tool} {arguments}");
        assert_eq!(there.error, here.error, "{tool} {arguments}");
        assert_eq!(there.data, here.data, "{tool} {arguments}");
        let (there, here) = (there.metadata, here.metadata);
        assert_eq!(there.side_effects, here.side_effects, "{tool} {arguments}");
    }
}

#[derive(Default)]
struct Seen(Mutex<Vec<String>>);

impl ProgressSink for Seen {
    fn progress(&self, _call_id: &str, _tool_name: &str, progress: &Progress) {
        let seen = format!("{} {}", progress.message, progress.done);
        self.0.lock().unwrap().push(seen);
    }

    fn partial(&self, _call_id: &str, _tool_name: &str, piece: &ContentBlock) {
        let seen = piece.as_text().unwrap().to_owned();
        self.0.lock().unwrap().push(seen);
    }
}

async fn forwards_progress_and_partial_output(site: Site) {
    for tool in ["talk_look", "talk_pay"] {
        let seen = Arc::new(Seen::default());
        let options = CallOptions::default().with_progress(seen.clone());
        let call = ToolCall::new(tool, json!({}));

        let result = site.caller.execute_call(&call, &options).await;

        assert_eq!(result.to_string(), "printed");
        assert_eq!(*seen.0.lock().unwrap(), ["printing 1", "page 1"], "{tool}");
    }
}

async fn cancellation_stops_running_calls(site: Site) {
    for tool in ["look", "pay"] {
        let before = count(&site.runs);
        let token = CancellationToken::new();
        let options = CallOptions::default().with_cancellation(token.clone());
        let call = ToolCall::new(tool, json!({"milliseconds": 600_000}));
        let running = site.caller.spawn(call, options);
        until("the tool starts", async || count(&site.runs) > before).await;

        token.cancel();

        assert_eq!(code(&running.await), "cancelled", "{tool}");
        let worker = site.worker.as_ref().unwrap();
        until("the worker stops the call", async || worker.running() == 0).await;
    }
}

async fn large_arguments_and_outputs_are_paged(site: Site) {
    // More than the 1 MiB that one message of the server may have.
    let text = "a".repeat(1_200_000);
    // With more patience than others have for a silent worker, which reads and writes large JSON here.
    let patient = permissive();
    let options = site.server.options().ack_wait(Duration::from_secs(20));
    let _remote = RemoteTools::connect(options, &patient).await.unwrap();
    for tool in ["look", "pay"] {
        let result = patient
            .execute(tool, json!({"text": text, "size": 1_200_000}))
            .await;

        assert!(result.success, "{:?}", result.error);
        let data = result.data.unwrap();
        assert_eq!(data["padding"].as_str().unwrap().len(), 1_200_000);
        assert!(result.content[0].as_text().unwrap().contains("aaaa"));
    }
    let context = site.server.stream().await;
    let objects = context
        .get_object_store("tool_objects_default")
        .await
        .unwrap();
    until("objects are removed", async || {
        use futures_util::StreamExt;
        // Each list creates a consumer, of which the server has a limited number.
        sleep(Duration::from_millis(200)).await;
        objects.list().await.unwrap().next().await.is_none()
    })
    .await;
}

async fn concurrent_calls_of_two_workers_run_once_each(site: Site) {
    let another = site.another_worker().await;
    let calls = (0..200).map(|number| {
        let tool = if number % 2 == 0 { "look" } else { "pay" };
        ToolCall::new(tool, json!({"text": number.to_string(), "milliseconds": 2}))
    });
    let calls: Vec<ToolCall> = calls.collect();

    let results = site.caller.execute_many(calls).await;

    for (number, result) in results.iter().enumerate() {
        assert_eq!(result.to_string(), number.to_string());
    }
    assert_eq!(count(&site.runs), 200);
    another.stop(Duration::from_secs(10)).await;
}

async fn slow_tools_are_not_delivered_twice(site: Site) {
    // Three times the time after which a silent call is delivered again.
    let calls: Vec<ToolCall> = (0..8)
        .map(|_| ToolCall::new("pay", json!({"milliseconds": 3000})))
        .collect();

    let results = site.caller.execute_many(calls).await;

    assert!(results.iter().all(|result| result.success));
    assert_eq!(count(&site.runs), 8);
    let context = site.server.stream().await;
    let stream = context.get_stream("TOOLS_default").await.unwrap();
    let info = stream.consumer_info("tools").await.unwrap();
    assert_eq!(info.delivered.consumer_sequence, 8, "deliveries");
}

async fn stopping_worker_finishes_running_calls(mut site: Site) {
    for tool in ["look", "pay"] {
        let before = count(&site.runs);
        let call = ToolCall::new(tool, json!({"milliseconds": 500, "text": "ended"}));
        let running = site.caller.spawn(call, CallOptions::default());
        until("the tool starts", async || count(&site.runs) > before).await;
        let worker = site.worker.take().unwrap();

        worker.stop(Duration::from_mins(1)).await;

        assert_eq!(running.await.to_string(), "ended", "{tool}");
        site.worker = Some(site.another_worker().await);
        let caller = site.caller.clone();
        until("the tools return", async || caller.get(tool).is_some()).await;
    }
}

async fn stop_cancels_calls_after_grace(mut site: Site) {
    let call = ToolCall::new("pay", json!({"milliseconds": 600_000}));
    let running = site.caller.spawn(call, CallOptions::default());
    until("the tool starts", async || count(&site.runs) == 1).await;

    site.worker.take().unwrap().stop(Duration::ZERO).await;

    let result = running.await;
    assert_eq!(code(&result), "cancelled", "{result}");
    sleep(Duration::from_millis(100)).await;
    assert_eq!(count(&site.runs), 1);
}

ledgers! {
    runs_calls_on_worker
    remote_results_equal_local_results
    forwards_progress_and_partial_output
    cancellation_stops_running_calls
    large_arguments_and_outputs_are_paged
    concurrent_calls_of_two_workers_run_once_each
    slow_tools_are_not_delivered_twice
    stopping_worker_finishes_running_calls
    stop_cancels_calls_after_grace
}
