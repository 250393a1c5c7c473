use super::*;

#[tokio::test]
async fn sends_events_in_order() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let replies = [
        ModelReply::calls([echo("a", "one"), call("b", "nope")]),
        ModelReply::text("Done."),
    ];
    let agent = agent(replies).on_event(move |event: &Event<'_>| {
        let line = match event.kind {
            EventKind::TurnStarted => format!("turn {}", event.turn),
            EventKind::ModelReplied { reply, .. } => format!("{} calls", reply.calls.len()),
            EventKind::CallStarted { call, risk } => format!("start {} {risk:?}", call.id),
            EventKind::CallProgress {
                call_id, progress, ..
            } => format!("{call_id} {}", progress.message),
            EventKind::CallPartial { call_id, piece, .. } => format!("{call_id} gives {piece:?}"),
            EventKind::CallFinished { result } => format!("end {} {}", result.id, result.success),
            EventKind::Finished { status, usage, .. } => format!("{status} after {}", usage.turns),
            other => format!("{other:?}"),
        };
        log.lock().unwrap().push(line);
    });

    agent.run("Go").await;

    assert_eq!(
        *seen.lock().unwrap(),
        [
            "turn 1",
            "2 calls",
            "start a Some(SafeWrite)",
            "start b None",
            "a speaking",
            "end a true",
            "end b false",
            "turn 2",
            "0 calls",
            "completed after 2",
        ]
    );
}

#[tokio::test]
async fn serialized_events_carry_run_turn_and_call() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let replies = [
        ModelReply::calls([echo("a", "one")]),
        ModelReply::text("Done."),
    ];
    let agent = agent(replies).on_event(move |event: &Event<'_>| {
        log.lock()
            .unwrap()
            .push(serde_json::to_value(event).unwrap());
    });

    let outcome = agent.run("Go").with_id("run-7").await;

    let events = seen.lock().unwrap();
    assert_eq!(outcome.run, "run-7");
    assert!(events.iter().all(|event| event["run"] == "run-7"));
    let lines: Vec<String> = events
        .iter()
        .map(|event| format!("{} {}", event["turn"], event["event"].as_str().unwrap()))
        .collect();
    assert_eq!(
        lines,
        [
            "1 turn_started",
            "1 model_replied",
            "1 call_started",
            "1 call_progress",
            "1 call_finished",
            "2 turn_started",
            "2 model_replied",
            "2 finished"
        ]
    );
    assert_eq!(events[2]["call"]["id"], "a");
    assert_eq!(events[4]["result"]["id"], "a");
    assert_eq!(events[7]["status"], "completed");
}

#[tokio::test]
async fn sends_partial_output_before_result() {
    let crawl = tool_fn("crawl", "Follows links.", |cx, _: Nothing| async move {
        cx.partial("page 1");
        Ok("1 page")
    });
    let replies = [
        ModelReply::calls([call("a", "crawl")]),
        ModelReply::text("Done."),
    ];
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let agent = AgentLoop::new(Registry::of(crawl).unwrap(), ScriptedModel::new(replies)).on_event(
        move |event: &Event<'_>| {
            let entry = match event.kind {
                EventKind::CallPartial {
                    call_id,
                    tool_name,
                    piece,
                } => json!([call_id, tool_name, piece]),
                EventKind::CallFinished { result } => json!([result.id, result.content]),
                _ => return,
            };
            log.lock().unwrap().push(entry);
        },
    );

    agent.run("Go").await;

    assert_eq!(
        *seen.lock().unwrap(),
        [
            json!(["a", "crawl", {"type": "text", "text": "page 1"}]),
            json!(["a", [{"type": "text", "text": "1 page"}]]),
        ]
    );
}

#[tokio::test]
async fn last_event_of_failed_run_contains_error() {
    let seen = Arc::new(Mutex::new(Value::Null));
    let log = Arc::clone(&seen);
    let agent = agent([]).on_event(move |event: &Event<'_>| {
        *log.lock().unwrap() = serde_json::to_value(event).unwrap();
    });

    let outcome = agent.run("Go").await;

    let last = seen.lock().unwrap();
    assert_eq!(last["event"], "finished");
    assert_eq!(last["error"], outcome.error.unwrap().to_string());
}
