//! Incremental reading of the output of background commands.

use super::*;

#[tokio::test]
async fn reads_continue_at_previous_offset_by_default() {
    let session = Session::default();
    let id = session
        .start("echo one; while ! [ -e go ]; do sleep 0.01; done; echo two >&2")
        .await;
    assert!(
        wait_for(|| session
            .commands
            .output(&id)
            .is_some_and(|text| !text.is_empty()))
        .await
    );

    let first = session.read(json!({"id": id})).await;
    let nothing = session.read(json!({"id": id})).await;
    session.touch("go");
    let rest = session.read(json!({"id": id, "wait_seconds": 60})).await;
    let again = session.read(json!({"id": id, "offset": 0})).await;

    let texts = [first, nothing.clone(), rest, again].map(|read| read.output);
    assert_eq!(texts, ["one\n", "", "two\n", "one\ntwo\n"]);
    assert_eq!(nothing.to_string(), "(no new output)\n[command-1: running]");
}

#[tokio::test]
async fn wait_ends_at_timeout_or_exit() {
    let session = Session::default();
    let long = session.start("sleep 60").await;
    let short = session.start("sleep 0.2").await;
    for (id, wait, status, took) in [
        (long, 1, BackgroundStatus::Running, 1000..8000),
        (short, 30, BackgroundStatus::Exited, 0..8000),
    ] {
        let begun = Instant::now();

        let output = session.read(json!({"id": id, "wait_seconds": wait})).await;

        assert_eq!(output.status, status, "{id}");
        assert!(took.contains(&begun.elapsed().as_millis()), "{id}");
    }
}

#[tokio::test]
async fn offset_counts_bytes_and_may_be_past_end() {
    let session = Session::default();
    let id = session.start("printf 'äb\\nc'").await;
    session.read(json!({"id": id, "wait_seconds": 60})).await;
    for (offset, output, next_offset) in [
        (0, "äb\nc", 5),
        (2, "b\nc", 5),
        (1, "\u{fffd}b\nc", 5),
        (5, "", 5),
        (u64::MAX, "", 5),
    ] {
        let read = session.read(json!({"id": id, "offset": offset})).await;

        assert_eq!(
            (read.output.as_str(), read.next_offset),
            (output, next_offset)
        );
    }
}

#[tokio::test]
async fn keeps_end_of_large_output() {
    let session = Session::default();
    let id = session
        .start("head -c 20000000 /dev/zero; echo; echo last")
        .await;

    let output = session.read(json!({"id": id, "wait_seconds": 20})).await;

    assert_eq!(output.next_offset, 20_000_006);
    assert_eq!(output.bytes_omitted, 20_000_006 - 65_536);
    assert!(output.output.ends_with("\nlast\n"));
    assert!(
        output
            .to_string()
            .starts_with("[… 19934470 bytes are no longer retained …]\n")
    );
}

#[tokio::test]
async fn replaces_invalid_utf8() {
    let session = Session::default();
    let id = session.start(r"printf 'a\377b\303'").await;

    let output = session.read(json!({"id": id, "wait_seconds": 60})).await;

    assert_eq!(output.output, "a\u{fffd}b\u{fffd}");
}

#[tokio::test]
async fn input_is_written_until_its_end() {
    let session = Session::default();
    let id = session
        .start("read -r answer; echo got $answer; cat; exit 5")
        .await;

    let first = session.read(json!({"id": id, "input": "yes\n"})).await;
    let last = json!({"id": id, "input": "more\n\u{4}", "wait_seconds": 60});
    let last = session.read(last).await;
    let closed = session.output(json!({"id": id, "input": "x"})).await;

    assert_eq!(first.to_string(), "got yes\n[command-1: running]");
    assert_eq!(last.to_string(), "more\n[command-1: exited with code 5]");
    let closed = closed.unwrap_err();
    assert_eq!(closed.parameter(), Some("input"), "{closed}");
}

#[tokio::test]
async fn input_requires_approval_and_an_id() {
    let session = Session::default();
    let tool = Background::new(session.commands.clone());
    let plan = |input: Value| {
        let input = serde_json::from_value(input).unwrap();
        tool.plan(&ToolContext::test(), &input)
    };

    let text = plan(json!({"id": "command-1", "input": "rm -r ."})).unwrap();
    let alone = plan(json!({"input": "a"})).unwrap_err();
    let long = plan(json!({"id": "a", "input": "x".repeat(32 * 1024 + 1)})).unwrap_err();

    assert_eq!(text.risk, tool_core::RiskLevel::Dangerous);
    assert_eq!(text.findings.rule(), Some("background:input"));
    assert_eq!(alone.parameter(), Some("id"));
    assert_eq!(long.parameter(), Some("input"));
}

#[tokio::test]
async fn unknown_id_lists_known_ids() {
    let session = Session::default();
    let none = session
        .output(json!({"id": "command-9"}))
        .await
        .unwrap_err();
    session.start("true").await;
    for id in ["command-9", "", "COMMAND-1", "command-1 ", "../command-1"] {
        let some = session.output(json!({"id": id})).await.unwrap_err();

        assert_eq!(
            some.to_string(),
            "`id` is not the id of a background command. Use one of these: command-1."
        );
    }
    assert_eq!(
        none.to_string(),
        "`id` is not the id of a background command. Start a background command first."
    );
}

#[tokio::test]
async fn invalid_arguments_name_parameter() {
    let scratch = Scratch::new();
    let registry = standard(&scratch);
    for (arguments, parameter) in [
        (json!({"wait_seconds": 1}), "id"),
        (json!({"stop": true}), "id"),
        (json!({"offset": 0}), "id"),
        (json!({"id": ["command-1"]}), "id"),
        (json!({"id": "command-1", "offset": -1}), "offset"),
        (json!({"id": "command-1", "offset": 1.5}), "offset"),
        (
            json!({"id": "command-1", "wait_seconds": 61}),
            "wait_seconds",
        ),
        (
            json!({"id": "command-1", "wait_seconds": -1}),
            "wait_seconds",
        ),
        (
            json!({"id": "command-1", "wait_seconds": "soon"}),
            "wait_seconds",
        ),
        (json!({"id": "command-1", "lines": 5}), "lines"),
    ] {
        let result = registry.execute("background", arguments.clone()).await;

        let named = format!("`{parameter}`");
        assert!(result.text().contains(&named), "{arguments}: {result}");
        assert_eq!(result.error.unwrap().code, ErrorCode::InvalidArguments);
    }
}

#[tokio::test]
async fn cancelled_wait_leaves_command_running() {
    let scratch = Scratch::new();
    let registry = standard(&scratch);
    let started = json!({"command": "sleep 60", "background": true});
    assert!(registry.execute("bash", started).await.success);
    let call = ToolCall::new("background", json!({"id": "command-1", "wait_seconds": 60}));
    let options = CallOptions::default().with_timeout(Duration::from_millis(300));

    let cut_short = registry.execute_call(&call, &options).await;
    let list = registry.execute("background", json!({})).await;

    assert_eq!(cut_short.error.unwrap().code, ErrorCode::Timeout);
    assert_eq!(list.text(), "command-1 (running): sleep 60");
}
