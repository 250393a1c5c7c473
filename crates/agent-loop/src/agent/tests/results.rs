use super::*;
use crate::RunHandle;

#[tokio::test]
async fn final_answer_completes_run() {
    let outcome = agent([ModelReply::text("Hello.").with_usage(7, 2)])
        .system("Be brief.")
        .run("Hi")
        .await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(outcome.reply.as_deref(), Some("Hello."));
    assert_eq!(outcome.error, None);
    assert_eq!(
        transcript_of(&outcome),
        json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello."},
        ])
    );
    assert_eq!(
        serde_json::to_value(outcome.usage).unwrap(),
        json!({"turns": 1, "calls": 0, "input_tokens": 7, "output_tokens": 2, "cached_tokens": 0, "cache_write_tokens": 0, "reasoning_tokens": 0, "estimated": false})
    );
}

#[tokio::test]
async fn results_keep_order_of_calls() {
    let replies = [
        ModelReply::calls([echo("a", "one"), call("b", "nope"), echo("c", "two")]),
        ModelReply::text("Done."),
    ];

    let outcome = agent(replies).run("Go").await;

    let results = &transcript_of(&outcome)[2]["results"];
    assert_eq!(
        results[0],
        json!({"call_id": "a", "name": "echo", "is_error": false, "content": [{"type": "text", "text": "one"}]})
    );
    let summary: Vec<_> = (0..3)
        .map(|at| (&results[at]["call_id"], &results[at]["is_error"]))
        .collect();
    assert_eq!(
        summary,
        [
            (&json!("a"), &json!(false)),
            (&json!("b"), &json!(true)),
            (&json!("c"), &json!(false))
        ]
    );
    assert_eq!((outcome.usage.turns, outcome.usage.calls), (2, 3));
}

#[tokio::test]
async fn run_continues_after_failing_tools() {
    let replies = [
        ModelReply::calls([
            call("p", "panics"),
            call("e", "endless"),
            call("f", "floods"),
        ]),
        ModelReply::calls([echo("a", "still here")]),
    ];

    let outcome = agent(replies).max_turns(3).run("Go").await;

    let results = transcript_of(&outcome)[2]["results"].clone();
    let errors: Vec<_> = (0..3).map(|at| results[at]["is_error"].clone()).collect();
    assert_eq!(errors, [json!(true), json!(true), json!(false)]);
    assert!(results[2]["content"][0]["text"].as_str().unwrap().len() < 2000);
    assert_eq!(
        answers(&outcome),
        [("a".into(), false, "still here".into())]
    );
}

#[tokio::test]
async fn exhausted_script_keeps_transcript() {
    let outcome = agent([ModelReply::calls([echo("a", "one")])])
        .run("Go")
        .await;

    assert_eq!(outcome.status, Status::Failed);
    assert_eq!(
        outcome.error,
        Some(ModelError::ScriptEnded { turn: 2 }.into())
    );
    assert_eq!(answers(&outcome), [("a".into(), false, "one".into())]);
}

#[tokio::test]
async fn incomplete_answer_fails_run() {
    for (reply, error, answer) in [
        (
            finished("Once upon", Finish::Length),
            LoopError::ReplyTruncated,
            Some("Once upon"),
        ),
        (
            finished("", Finish::Filtered),
            LoopError::ReplyFiltered,
            Some(""),
        ),
        (
            finished("Hm", Finish::Error),
            LoopError::NoReply,
            Some("Hm"),
        ),
        (
            finished("I will call", Finish::Other),
            LoopError::NoReply,
            Some("I will call"),
        ),
    ] {
        let outcome = agent([reply]).run("Hi").await;

        assert_eq!(outcome.status, Status::Failed, "{error}");
        assert_eq!(outcome.error, Some(error));
        assert_eq!(outcome.reply.as_deref(), answer);
        let resumed = agent([ModelReply::text("Hello.")])
            .resume(outcome.transcript)
            .await;
        assert_eq!(resumed.reply.as_deref(), Some("Hello."));
    }
}

#[tokio::test]
async fn empty_answer_is_requested_again_once() {
    let empty = || ModelReply::text(" \n");
    for (replies, turns, error) in [
        (vec![empty(), ModelReply::text("Hello.")], 2, None),
        (vec![empty(), empty()], 2, Some(LoopError::EmptyAnswer)),
        (
            vec![
                empty(),
                ModelReply::calls([echo("a", "one")]),
                empty(),
                ModelReply::text("Hello."),
            ],
            4,
            None,
        ),
    ] {
        let outcome = agent(replies).run("Hi").await;

        assert_eq!((outcome.usage.turns, &outcome.error), (turns, &error));
        assert!(!transcript_of(&outcome).to_string().contains("\\n"));
    }
    assert_eq!(LoopError::EmptyAnswer.code(), "empty_answer");
}

#[tokio::test]
async fn paused_turn_continues_automatically() {
    let outcome = agent([
        finished("The tulips ", Finish::Paused),
        ModelReply::text("are red."),
    ])
    .run("Which color?")
    .await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(outcome.reply.as_deref(), Some("The tulips are red."));
    assert_eq!(outcome.usage.turns, 2);
}

#[tokio::test]
async fn run_stopped_in_paused_turn_resumes_it() {
    let paused = || finished("The tulips ", Finish::Paused);
    let handle = RunHandle::new();
    let first = agent([paused(), paused()]).max_turns(2);

    let stopped = first.run("Which color?").await;
    let stored = serde_json::to_string(&stopped.transcript).unwrap();
    handle.say("Quickly.");
    let second = agent([ModelReply::text("are red."), ModelReply::text("Red.")]);
    let resumed = second
        .resume(serde_json::from_str(&stored).unwrap())
        .handle(&handle)
        .await;

    assert_eq!(stopped.status, Status::BudgetExceeded);
    // The message follows the continued reply.
    let texts: Vec<Value> = transcript_of(&resumed)
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].clone())
        .collect();
    assert_eq!(
        texts,
        [
            "Which color?",
            "The tulips ",
            "The tulips ",
            "are red.",
            "Quickly.",
            "Red."
        ]
    );
    let again = agent([]).resume(stopped.transcript.clone()).await;
    assert_eq!(again.status, Status::Failed);
    let mut complete = stopped.transcript;
    complete.push(Message::assistant("are red."));
    let complete = agent([]).resume(complete).await;
    assert_eq!(
        complete.reply.as_deref(),
        Some("The tulips The tulips are red.")
    );
}

#[tokio::test]
async fn repaired_arguments_are_recorded() {
    let broken = ToolCall::new("echo", "{\"text\": \"one\",}").with_id("a");
    let replies = [ModelReply::calls([broken]), ModelReply::text("Done.")];

    let outcome = agent(replies).run("Go").await;

    let call = &transcript_of(&outcome)[1]["calls"][0];
    assert_eq!(call["arguments"], json!({"text": "one"}));
    assert_eq!(outcome.status, Status::Completed);
}

#[tokio::test]
async fn unreadable_arguments_are_recorded_verbatim() {
    let broken = ToolCall::new("echo", "text = one").with_id("a");
    let replies = [ModelReply::calls([broken]), ModelReply::text("Done.")];

    let outcome = agent(replies).run("Go").await;

    let call = &transcript_of(&outcome)[1]["calls"][0];
    assert_eq!(call["arguments"], json!("text = one"));
}

#[tokio::test]
async fn removed_tool_finishes_calls_of_current_turn() {
    let registry = registry();
    let host = registry.clone();
    let model = ScriptedModel::from_fn(move |transcript| {
        drop(host.unregister("echo"));
        let id = format!("call_{}", transcript.messages().len());
        ModelReply::calls([echo(&id, "one")])
    });

    let outcome = AgentLoop::new(registry, model).max_turns(3).run("Go").await;

    let transcript = transcript_of(&outcome);
    assert_eq!(transcript[2]["results"][0]["is_error"], false);
    assert_eq!(transcript[4]["results"][0]["is_error"], true);
}

#[tokio::test]
async fn serves_concurrent_runs() {
    let model = ScriptedModel::from_fn(|transcript| {
        ModelReply::text(format!("{} messages", transcript.messages().len()))
    });
    let agent = Arc::new(AgentLoop::new(registry(), model));
    let run = |agent: Arc<AgentLoop>| tokio::spawn(async move { agent.run("Hi").await.reply });

    let (first, second) = tokio::join!(run(Arc::clone(&agent)), run(agent));

    let answers = (first.unwrap(), second.unwrap());
    assert_eq!(
        answers,
        (Some("1 messages".into()), Some("1 messages".into()))
    );
}

#[tokio::test]
async fn tool_error_message_reaches_model() {
    let failing = tool_fn("fails", "Fails.", |_, _: Nothing| async {
        Err::<String, _>(ToolError::failed("The mail server is busy").caused_by("token abc"))
    });
    let replies = [
        ModelReply::calls([call("a", "fails")]),
        ModelReply::text("Sorry."),
    ];
    let agent = AgentLoop::new(Registry::of(failing).unwrap(), ScriptedModel::new(replies));

    let outcome = agent.run("Go").await;

    let stored = serde_json::to_string(&outcome.transcript).unwrap();
    assert!(
        stored.contains("Error: The mail server is busy.") && !stored.contains("abc"),
        "{stored}"
    );
}

#[tokio::test]
async fn extensions_belong_to_run() {
    let tenant = tool_fn(
        "tenant",
        "Returns the tenant.",
        |cx, _: Nothing| async move { Ok(cx.extension::<u32>().copied().unwrap_or_default()) },
    );
    let model = ScriptedModel::from_fn(|transcript| match transcript.messages().len() {
        1 => ModelReply::calls([call("a", "tenant")]),
        _ => ModelReply::text("Done."),
    });
    let agent = AgentLoop::new(Registry::of(tenant).unwrap(), model);

    let (first, second) = tokio::join!(
        agent.run("Go").extension(1_u32),
        agent.run("Go").extension(2_u32)
    );

    let tenant_of =
        |outcome: &RunOutcome| transcript_of(outcome)[2]["results"][0]["content"].clone();
    assert_eq!(tenant_of(&first)[0]["text"], "1");
    assert_eq!(tenant_of(&second)[0]["text"], "2");
    assert_ne!(first.run, second.run);
}

#[tokio::test]
async fn appends_warning_to_output() {
    let careful = tool_fn("careful", "Warns.", |cx, _: Nothing| async move {
        cx.warn("The index is a day old.");
        Ok("found")
    });
    let replies = [
        ModelReply::calls([call("a", "careful")]),
        ModelReply::text("Done."),
    ];
    let agent = AgentLoop::new(Registry::of(careful).unwrap(), ScriptedModel::new(replies));

    let outcome = agent.run("Go").await;

    assert_eq!(
        transcript_of(&outcome)[2]["results"][0]["content"],
        json!([
            {"type": "text", "text": "found"},
            {"type": "text", "text": "Warning: The index is a day old."},
        ])
    );
}
