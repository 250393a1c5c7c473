//! What a host and a model see of all commands at once.

use super::*;

async fn listed(commands: &BackgroundCommands) -> BackgroundList {
    run(&ListBackground::new(commands.clone()), json!({}))
        .await
        .unwrap()
}

#[tokio::test]
async fn a_session_that_left_nothing_running_has_no_commands() {
    let list = listed(&BackgroundCommands::default()).await;

    assert_eq!(list.to_string(), "(no commands)");
    assert_eq!(json!(list), json!({"commands": [], "limit": 8}));
}

#[tokio::test]
async fn the_list_tells_how_each_command_stands() {
    let session = Session::default();
    let first = session.start("exit 2").await;
    session.read(json!({"id": first, "wait_seconds": 5})).await;
    session.start("kill -9 $$").await;
    session
        .read(json!({"id": "command-2", "wait_seconds": 5}))
        .await;
    session.start("sleep 60").await;

    let list = listed(&session.commands).await;

    assert_eq!(
        list.to_string(),
        "command-1 (ended with exit code 2): exit 2\n\
         command-2 (ended by signal 9): kill -9 $$\n\
         command-3 (running): sleep 60"
    );
    assert_eq!(list.limit, 8);
}

#[tokio::test]
async fn a_command_that_was_ended_says_by_whom() {
    let longest = Duration::from_millis(1500);
    let session = Session::new(BackgroundCommands::default().with_longest(longest));
    let late = session.start("sleep 61").await;
    let stopped = session.start("sleep 62").await;

    session.stop(&stopped).await.unwrap();
    session.read(json!({"id": late, "wait_seconds": 5})).await;

    assert_eq!(
        listed(&session.commands).await.to_string(),
        "command-1 (ended, it ran too long): sleep 61\n\
         command-2 (stopped): sleep 62"
    );
}

#[tokio::test]
async fn commands_stay_in_the_order_of_their_start_whichever_ends_first() {
    let session = Session::default();
    for command in ["sleep 60", "true", "sleep 61"] {
        session.start(command).await;
    }
    session
        .read(json!({"id": "command-2", "wait_seconds": 5}))
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
async fn commands_that_ended_are_forgotten_after_a_while() {
    let session = Session::default();
    for _ in 0..12 {
        let id = session.start("true").await;
        session.read(json!({"id": id, "wait_seconds": 5})).await;
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
async fn each_command_takes_one_line_and_its_beginning_is_enough() {
    let session = Session::default();
    let long = format!("true # {}", "ż".repeat(2000));
    for command in ["echo a\necho b", long.as_str()] {
        let id = session.start(command).await;
        session.read(json!({"id": id, "wait_seconds": 5})).await;
    }

    let list = listed(&session.commands).await;

    let shown = format!(
        "command-1 (ended with exit code 0): echo a\\necho b\n\
         command-2 (ended with exit code 0): true # {}…",
        "ż".repeat(193)
    );
    assert_eq!(list.to_string(), shown);
    assert_eq!(list.commands[1].command, long);
}

#[tokio::test]
async fn the_data_tells_code_time_and_size_of_the_output() {
    let before = Timestamp::now();
    let session = Session::default();
    let id = session.start("echo one; echo two >&2; exit 4").await;
    session.read(json!({"id": id, "wait_seconds": 5})).await;

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
async fn listing_takes_nothing_of_what_is_to_be_read() {
    let session = Session::default();
    let id = session.start("echo one").await;
    assert!(wait_for(|| !session.commands.list()[0].is_running()).await);
    listed(&session.commands).await;

    let output = session.read(json!({"id": id})).await;

    assert_eq!(output.output, "one\n");
}

#[tokio::test]
async fn sessions_do_not_see_the_commands_of_each_other() {
    let (one, other) = (Session::default(), Session::default());

    one.start("sleep 60").await;

    assert_eq!(listed(&one.commands).await.commands.len(), 1);
    assert_eq!(listed(&other.commands).await.commands, []);
}

#[tokio::test]
async fn a_list_needs_no_arguments_and_takes_none() {
    let scratch = Scratch::new();
    let registry = standard(&scratch);
    for arguments in ["", "{}"] {
        let result = registry
            .execute_text("list_background_commands", arguments)
            .await;

        assert_eq!(result.text(), "(no commands)", "{arguments:?}");
    }

    let refused = registry
        .execute("list_background_commands", json!({"all": true}))
        .await;

    assert!(refused.text().contains("`all`"), "{refused}");
    assert_eq!(refused.error.unwrap().code, ErrorCode::InvalidArguments);
}
