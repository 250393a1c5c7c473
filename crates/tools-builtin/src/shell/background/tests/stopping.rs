//! Stopping of background commands.

use super::*;

#[tokio::test]
async fn stop_kills_all_processes() {
    let session = Session::default();
    let marker = marker();
    let script =
        format!("echo up; setsid sleep {marker} & trap '' TERM; sleep {marker}; sleep {marker}");
    let id = session.start(&script).await;
    assert!(wait_for(|| descendants(&marker).len() > 2).await);

    let stopped = session.stop(&id).await.unwrap();

    assert_eq!(descendants(&marker), Vec::<String>::new());
    assert_eq!(stopped.to_string(), "up\n[command-1: stopped]");
}

#[tokio::test]
async fn stop_returns_unread_output() {
    let session = Session::default();
    let id = session
        .start("echo one; while ! [ -e go ]; do sleep 0.01; done; echo two; sleep 60")
        .await;
    let output = |text: &'static str| {
        let (commands, id) = (session.commands.clone(), id.clone());
        move || commands.output(&id).is_some_and(|all| all.ends_with(text))
    };
    assert!(wait_for(output("one\n")).await);
    session.read(json!({"id": id})).await;
    session.touch("go");
    assert!(wait_for(output("two\n")).await);

    let stopped = session.stop(&id).await.unwrap();

    assert_eq!(stopped.output, "two\n");
}

#[tokio::test]
async fn stopping_twice_succeeds() {
    let session = Session::default();
    let id = session.start("echo up; sleep 60").await;
    session.stop(&id).await.unwrap();

    let again = session.stop(&id).await.unwrap();

    assert_eq!(again.to_string(), "(no new output)\n[command-1: stopped]");
}

#[tokio::test]
async fn stop_keeps_status_of_finished_command() {
    let session = Session::default();
    for (command, text) in [
        ("echo done; exit 3", "done\n[command-1: exited with code 3]"),
        (
            "kill -TERM $$",
            "(no new output)\n[command-2: killed by signal 15]",
        ),
    ] {
        let id = session.start(command).await;
        let is_over = || {
            session
                .commands
                .list()
                .iter()
                .all(|known| !known.is_running())
        };
        assert!(wait_for(is_over).await);

        let stopped = session.stop(&id).await.unwrap();

        assert_eq!(stopped.to_string(), text);
    }
}

#[tokio::test]
async fn stop_keeps_other_commands_running() {
    let session = Session::default();
    for _ in 0..3 {
        session.start("sleep 60").await;
    }

    session.stop("command-2").await.unwrap();

    let statuses: Vec<BackgroundStatus> = statuses(&session.commands)
        .into_iter()
        .map(|(_, status)| status)
        .collect();
    assert_eq!(
        statuses,
        [
            BackgroundStatus::Running,
            BackgroundStatus::Stopped,
            BackgroundStatus::Running
        ]
    );
}

#[tokio::test]
async fn concurrent_stops_both_wait_for_exit() {
    let session = Session::default();
    let id = session.start("trap '' TERM; sleep 60; sleep 60").await;

    let (one, other) = tokio::join!(session.stop(&id), session.stop(&id));

    for stopped in [one, other] {
        assert_eq!(stopped.unwrap().status, BackgroundStatus::Stopped);
    }
}

#[tokio::test]
async fn stop_wakes_waiting_readers() {
    let session = Session::default();
    let id = session.start("sleep 60").await;
    let begun = Instant::now();

    let (waited, stopped) = tokio::join!(
        session.read(json!({"id": id, "wait_seconds": 60})),
        session.stop(&id)
    );

    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!(waited.status, BackgroundStatus::Stopped);
    assert_eq!(stopped.unwrap().status, BackgroundStatus::Stopped);
}

#[tokio::test]
async fn stop_frees_slot() {
    let session = Session::new(BackgroundCommands::default().with_limit(1));
    let id = session.start("sleep 60").await;
    assert!(session.try_start("true").await.is_err());

    session.stop(&id).await.unwrap();

    assert_eq!(session.start("true").await, "command-2");
}

#[tokio::test]
async fn unknown_id_stops_nothing() {
    let session = Session::default();
    let none = session.stop("command-1").await.unwrap_err();
    session.start("sleep 60").await;
    for id in ["", "*", "command", "command-2", "1"] {
        let error = session.stop(id).await.unwrap_err();

        assert_eq!(error.parameter(), Some("id"), "{id}");
        assert_eq!(error.suggestion(), Some("Use one of these: command-1."));
    }
    assert_eq!(none.suggestion(), Some("Start a background command first."));
    assert!(session.commands.list()[0].is_running());
}

#[tokio::test]
async fn requires_id_string() {
    let scratch = Scratch::new();
    let registry = standard(&scratch);
    for (arguments, parameter) in [
        (json!({"stop": true}), "id"),
        (json!({"id": null, "stop": true}), "id"),
        (json!({"id": {"name": "command-1"}, "stop": true}), "id"),
        (json!({"id": "command-1", "force": true}), "force"),
    ] {
        let result = registry.execute("background", arguments.clone()).await;

        let named = format!("`{parameter}`");
        assert!(result.text().contains(&named), "{arguments}: {result}");
        assert_eq!(result.error.unwrap().code, ErrorCode::InvalidArguments);
    }
}

#[tokio::test]
async fn model_reads_output_and_status() {
    let scratch = Scratch::new();
    let registry = standard(&scratch);
    let started = json!({"command": "echo up; sleep 60", "background": true});
    assert!(registry.execute("bash", started).await.success);
    let id = json!({"id": "command-1"});
    let is_up = async || {
        let arguments = json!({"id": "command-1", "offset": 0});
        let read = registry.execute("background", arguments).await;
        read.text() == "up\n[command-1: running]"
    };
    while !is_up().await {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }

    let stopped = registry
        .execute("background", json!({"id": "command-1", "stop": true}))
        .await;
    let read = registry.execute("background", id).await;

    for result in [stopped, read] {
        assert_eq!(result.text(), "(no new output)\n[command-1: stopped]");
    }
}
