use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::{Engine, ErrorCode, Limits, ToolContext, ToolError};
use tool_test::Scratch;

use super::*;
use crate::Workspace;
use crate::shell::Bash;
use crate::shell::process::tests::{marker, survivors, wait_for};

/// A session with a shell and its commands in the background.
struct Session {
    bash: Bash,
    commands: BackgroundCommands,
    _scratch: Scratch,
}

impl Session {
    fn new(commands: BackgroundCommands) -> Self {
        let scratch = Scratch::new().file("sub/a.txt", "found\n");
        let workspace = Workspace::open(scratch.path()).unwrap();
        Self {
            bash: Bash::new(workspace).with_background(commands.clone()),
            commands,
            _scratch: scratch,
        }
    }

    async fn try_start(&self, command: &str) -> Result<String, ToolError> {
        let input = json!({"command": command, "background": true, "working_directory": "sub"});
        let output = run(&self.bash, input).await?;
        assert_eq!((output.exit_code, output.stdout.as_str()), (None, ""));
        Ok(output.background_id.unwrap())
    }

    async fn start(&self, command: &str) -> String {
        self.try_start(command).await.unwrap()
    }

    async fn read(&self, input: Value) -> BackgroundOutput {
        run(&ReadBackground::new(self.commands.clone()), input)
            .await
            .unwrap()
    }

    async fn stop(&self, id: &str) -> Result<BackgroundOutput, ToolError> {
        run(
            &StopBackground::new(self.commands.clone()),
            json!({"id": id}),
        )
        .await
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new(BackgroundCommands::default())
    }
}

async fn run<E: Engine>(engine: &E, input: Value) -> Result<E::Output, ToolError> {
    let input = serde_json::from_value(input).unwrap();
    engine.check(&input)?;
    engine
        .run(&ToolContext::test(), input, &Limits::default())
        .await
}

fn statuses(commands: &BackgroundCommands) -> Vec<(String, BackgroundStatus)> {
    let list = commands.list().into_iter();
    list.map(|command| (command.id, command.status)).collect()
}

#[tokio::test]
async fn a_command_in_the_background_returns_at_once_and_goes_on() {
    let session = Session::default();
    let begun = Instant::now();

    let id = session
        .start("cat a.txt; sleep 0.4; echo over; exit 3")
        .await;

    assert!(begun.elapsed() < Duration::from_millis(400));
    assert_eq!(
        statuses(&session.commands),
        [(id.clone(), BackgroundStatus::Running)]
    );
    let output = session.read(json!({"id": id, "wait_seconds": 5})).await;
    assert_eq!(output.output, "found\nover\n");
    assert_eq!(
        (output.status, output.exit_code),
        (BackgroundStatus::Exited, Some(3))
    );
    assert_eq!(
        output.to_string(),
        "found\nover\n[command-1: ended with exit code 3]"
    );
}

#[tokio::test]
async fn each_reading_goes_on_where_the_last_one_ended_unless_told_otherwise() {
    let session = Session::default();
    let id = session.start("echo one; sleep 0.3; echo two >&2").await;
    assert!(
        wait_for(|| session
            .commands
            .output(&id)
            .is_some_and(|text| !text.is_empty()))
        .await
    );

    let first = session.read(json!({"id": id})).await;
    let nothing = session.read(json!({"id": id})).await;
    let rest = session.read(json!({"id": id, "wait_seconds": 5})).await;
    let again = session.read(json!({"id": id, "offset": 0})).await;

    let texts = [first, nothing.clone(), rest, again].map(|read| read.output);
    assert_eq!(texts, ["one\n", "", "two\n", "one\ntwo\n"]);
    assert_eq!(nothing.to_string(), "(no new output)\n[command-1: running]");
}

#[tokio::test]
async fn a_wait_ends_with_its_time() {
    let session = Session::default();
    let id = session.start("sleep 60").await;
    let begun = Instant::now();

    let output = session.read(json!({"id": id, "wait_seconds": 1})).await;

    assert_eq!(output.status, BackgroundStatus::Running);
    assert!((1000..2000).contains(&begun.elapsed().as_millis()));
}

#[tokio::test]
async fn a_stopped_command_ends_with_all_that_it_started() {
    let session = Session::default();
    let marker = marker();
    let script =
        format!("echo up; setsid sleep {marker} & trap '' TERM; sleep {marker}; sleep {marker}");
    let id = session.start(&script).await;
    assert!(wait_for(|| survivors(&marker).len() > 2).await);

    let stopped = session.stop(&id).await.unwrap();
    let again = session.stop(&id).await.unwrap();

    assert_eq!(survivors(&marker), Vec::<String>::new());
    assert_eq!(
        (stopped.output.as_str(), stopped.status),
        ("up\n", BackgroundStatus::Stopped)
    );
    assert_eq!(again.to_string(), "(no new output)\n[command-1: stopped]");
}

#[tokio::test]
async fn what_a_finished_command_left_running_is_ended() {
    let session = Session::default();
    let marker = marker();
    let id = session
        .start(&format!("setsid sleep {marker} >/dev/null & echo done"))
        .await;

    let output = session.read(json!({"id": id, "wait_seconds": 5})).await;

    assert_eq!(
        (output.output.as_str(), output.exit_code),
        ("done\n", Some(0))
    );
    assert_eq!(survivors(&marker), Vec::<String>::new());
}

#[tokio::test]
async fn dropping_the_last_hold_of_the_session_ends_its_commands() {
    let session = Session::default();
    let marker = marker();
    session.start(&format!("sleep {marker}")).await;
    session.start(&format!("setsid sleep {marker}")).await;
    assert!(wait_for(|| survivors(&marker).len() > 1).await);

    let commands = session.commands.clone();
    drop(session);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!survivors(&marker).is_empty());
    drop(commands);

    assert!(wait_for(|| survivors(&marker).is_empty()).await);
}

#[test]
fn nothing_is_left_of_the_background_once_the_runtime_is_down() {
    let marker = marker();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let session = Session::default();
    runtime.block_on(async {
        session
            .start(&format!("setsid sleep {marker} & sleep {marker}"))
            .await;
        assert!(wait_for(|| survivors(&marker).len() > 1).await);
    });

    drop(runtime);

    assert_eq!(survivors(&marker), Vec::<String>::new());
    assert_eq!(
        statuses(&session.commands),
        [("command-1".to_owned(), BackgroundStatus::Stopped)]
    );
}

#[tokio::test]
async fn only_so_many_run_at_once_and_the_refusal_names_them() {
    let session = Session::new(BackgroundCommands::default().with_limit(2));
    let first = session.start("sleep 60").await;
    session.start("sleep 60").await;

    let error = session.try_start("sleep 60").await.unwrap_err();

    assert_eq!(error.code(), &ErrorCode::CallLimitReached);
    assert_eq!(
        error.to_string(),
        "`background` cannot be used now: 2 commands run in the background, which is as many as may (command-1, command-2). \
         Stop one of them first, or run this without it."
    );
    session.stop(&first).await.unwrap();
    assert_eq!(session.start("true").await, "command-3");
}

#[tokio::test]
async fn commands_that_ended_are_forgotten_after_a_while() {
    let session = Session::default();
    for _ in 0..12 {
        let id = session.start("true").await;
        session.read(json!({"id": id, "wait_seconds": 5})).await;
    }

    let ids: Vec<String> = session
        .commands
        .list()
        .into_iter()
        .map(|known| known.id)
        .collect();

    assert_eq!(ids.first().map(String::as_str), Some("command-5"));
    assert_eq!(ids.len(), 8);
}

#[tokio::test]
async fn a_command_that_runs_longer_than_the_host_allows_is_ended() {
    let longest = Duration::from_millis(300);
    let session = Session::new(BackgroundCommands::default().with_longest(longest));
    let id = session.start("echo up; sleep 60").await;

    let output = session.read(json!({"id": id, "wait_seconds": 5})).await;

    assert_eq!(
        (output.status, output.output.as_str()),
        (BackgroundStatus::TimedOut, "up\n")
    );
}

#[tokio::test]
async fn an_id_that_is_not_known_is_answered_with_those_that_are() {
    let session = Session::default();
    let none = session.stop("command-9").await.unwrap_err();
    session.start("true").await;
    let read = ReadBackground::new(session.commands.clone());
    let some = run(&read, json!({"id": "command-9"})).await.unwrap_err();

    assert_eq!(
        none.to_string(),
        "`id` names no command in the background. Start one first; none was started in this session."
    );
    assert_eq!(
        some.to_string(),
        "`id` names no command in the background. Use one of these: command-1."
    );
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_refused() {
    let read = ReadBackground::new(BackgroundCommands::default());

    let error = run(&read, json!({"id": "command-1", "wait_seconds": 61}))
        .await
        .unwrap_err();

    assert_eq!(
        error.to_string(),
        "`wait_seconds` must be from 0 to 60, not 61."
    );
}

#[tokio::test]
async fn a_flood_in_the_background_keeps_its_end() {
    let session = Session::default();
    let id = session
        .start("head -c 20000000 /dev/zero; echo; echo last")
        .await;

    let output = session.read(json!({"id": id, "wait_seconds": 20})).await;

    assert_eq!(output.next_offset, 20_000_006);
    assert_eq!(output.bytes_left_out, 20_000_006 - 65_536);
    assert!(output.output.ends_with("\nlast\n"));
    assert!(
        output
            .to_string()
            .starts_with("[… 19934470 bytes are no longer kept …]\n")
    );
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

    let list = run(&ListBackground::new(session.commands.clone()), json!({}))
        .await
        .unwrap();

    assert_eq!(
        list.to_string(),
        "command-1 (ended with exit code 2): exit 2\n\
         command-2 (ended by signal 9): kill -9 $$\n\
         command-3 (running): sleep 60"
    );
    assert_eq!(list.limit, 8);
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_refused_in_the_background_too() {
    let session = Session::default();
    let input = json!({"command": "true", "background": true, "working_directory": ".."});

    let error = run(&session.bash, input).await.unwrap_err();

    assert_eq!(error.code(), &ErrorCode::PathOutsideWorkspace);
    assert_eq!(session.commands.list(), []);
}

#[tokio::test]
async fn stopping_everything_leaves_nothing() {
    let session = Session::default();
    let marker = marker();
    for _ in 0..3 {
        session.start(&format!("sleep {marker}")).await;
    }
    assert!(wait_for(|| survivors(&marker).len() > 2).await);

    session.commands.stop_all();

    assert!(wait_for(|| survivors(&marker).is_empty()).await);
    assert!(
        wait_for(|| session
            .commands
            .list()
            .iter()
            .all(|command| !command.is_running()))
        .await
    );
}
