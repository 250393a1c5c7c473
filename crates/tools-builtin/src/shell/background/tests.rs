//! Commands in the background; listing, reading and stopping them have a file each.

mod listing;
mod reading;
mod stopping;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{
    CallOptions, Engine, ErrorCode, Limits, Registry, Timestamp, ToolCall, ToolContext, ToolError,
};
use tool_test::Scratch;

use super::*;
use crate::shell::Bash;
use crate::shell::process::tests::{marker, survivors, wait_for};
use crate::{Kit, Workspace, contracts};

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

/// The standard tools, as a model meets them.
fn standard(scratch: &Scratch) -> Registry {
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .contract(&contracts::standard(&kit).unwrap())
        .unwrap()
        .build()
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
async fn a_folder_that_is_not_there_is_refused_in_the_background_too() {
    let session = Session::default();
    let input = json!({"command": "true", "background": true, "working_directory": ".."});

    let error = run(&session.bash, input).await.unwrap_err();

    assert_eq!(error.code(), &ErrorCode::PathOutsideWorkspace);
    assert_eq!(session.commands.list(), []);
}
