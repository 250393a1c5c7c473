//! Listing of background commands by hosts and models.

use super::*;

async fn listed(commands: &BackgroundCommands) -> BackgroundList {
    match run(&Background::new(commands.clone()), json!({})).await {
        Ok(BackgroundReply::List(list)) => list,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn new_session_has_no_commands() {
    let list = listed(&BackgroundCommands::default()).await;

    assert_eq!(list.to_string(), "(no commands)");
    assert_eq!(json!(list), json!({"commands": [], "limit": 8}));
}

#[tokio::test]
async fn lists_status_of_each_command() {
    let session = Session::default();
    let first = session.start("exit 2").await;
    session.read(json!({"id": first, "wait_seconds": 60})).await;
    session.start("kill -9 $$").await;
    session
        .read(json!({"id": "command-2", "wait_seconds": 60}))
        .await;
    session.start("sleep 60").await;

    let list = listed(&session.commands).await;

    assert_eq!(
        list.to_string(),
        "command-1 (exited with code 2): exit 2\n\
         command-2 (killed by signal 9): kill -9 $$\n\
         command-3 (running): sleep 60"
    );
    assert_eq!(list.limit, 8);
}

#[tokio::test]
async fn lists_stopped_commands() {
    let session = Session::default();
    let stopped = session.start("sleep 62").await;

    session.stop(&stopped).await.unwrap();

    let shown = listed(&session.commands).await.to_string();
    assert_eq!(shown, "command-1 (stopped): sleep 62");
}

#[tokio::test]
async fn lists_commands_in_start_order() {
    let session = Session::default();
    for command in ["sleep 60", "true", "sleep 61"] {
        session.start(command).await;
    }
    session
        .read(json!({"id": "command-2", "wait_seconds": 60}))
        .await;

    assert_eq!(
        statuses(&session.commands),
        [
            ("command-1".to_owned(), BackgroundStatus::Running),
            ("command-2".to_owned(), BackgroundStatus::Exited),
            ("command-3".to_owned(), BackgroundStatus::Running),
        ]
    );
}

#[tokio::test]
async fn removes_oldest_finished_commands() {
    let session = Session::default();
    for _ in 0..12 {
        let id = session.start("true").await;
        session.read(json!({"id": id, "wait_seconds": 60})).await;
    }

    let list = listed(&session.commands).await;

    let ids: Vec<&str> = list
        .commands
        .iter()
        .map(|known| known.id.as_str())
        .collect();
    assert_eq!(ids.first(), Some(&"command-5"));
    assert_eq!(ids.len(), 8);
}

#[tokio::test]
async fn shows_each_command_on_one_truncated_line() {
    let session = Session::default();
    let long = format!("true # {}", "ż".repeat(2000));
    for command in ["echo a\necho b", long.as_str()] {
        let id = session.start(command).await;
        session.read(json!({"id": id, "wait_seconds": 60})).await;
    }

    let list = listed(&session.commands).await;

    let shown = format!(
        "command-1 (exited with code 0): echo a\\necho b\n\
         command-2 (exited with code 0): true # {}…",
        "ż".repeat(193)
    );
    assert_eq!(list.to_string(), shown);
    assert_eq!(list.commands[1].command, long);
}

#[tokio::test]
async fn data_contains_exit_code_start_time_and_size() {
    let before = Timestamp::now();
    let session = Session::default();
    let id = session.start("echo one; echo two >&2; exit 4").await;
    session.read(json!({"id": id, "wait_seconds": 60})).await;

    let list = listed(&session.commands).await;

    let started_at = list.commands[0].started_at;
    assert!(before <= started_at && started_at <= Timestamp::now());
    assert_eq!(
        json!(list.commands),
        json!([{
            "id": "command-1",
            "command": "echo one; echo two >&2; exit 4",
            "status": "exited",
            "exit_code": 4,
            "started_at": started_at,
            "output_bytes": 8,
        }])
    );
}

#[tokio::test]
async fn listing_does_not_advance_read_offset() {
    let session = Session::default();
    let id = session.start("echo one").await;
    assert!(wait_for(|| !session.commands.list()[0].is_running()).await);
    listed(&session.commands).await;

    let output = session.read(json!({"id": id})).await;

    assert_eq!(output.output, "one\n");
}

#[tokio::test]
async fn sessions_are_isolated() {
    let (one, other) = (Session::default(), Session::default());

    one.start("sleep 60").await;

    assert_eq!(listed(&one.commands).await.commands.len(), 1);
    assert_eq!(listed(&other.commands).await.commands, []);
}

#[tokio::test]
async fn list_rejects_arguments() {
    let scratch = Scratch::new();
    let registry = standard(&scratch);
    for arguments in ["", "{}"] {
        let result = registry.execute("background", arguments).await;

        assert_eq!(result.text(), "(no commands)", "{arguments:?}");
    }

    let refused = registry.execute("background", json!({"all": true})).await;

    assert!(refused.text().contains("`all`"), "{refused}");
    assert_eq!(refused.error.unwrap().code, ErrorCode::InvalidArguments);
}
