//! Tests of background commands; listing, reading and stopping have separate modules.

mod listing;
mod reading;
mod stopping;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{
    Arguments, CallOptions, ErrorCode, Registry, Timestamp, ToolCall, ToolContext, ToolError,
    ToolInput, TypedTool,
};
use tool_test::Scratch;

use super::*;
use crate::shell::Bash;
use crate::shell::process::tests::{descendants, marker, wait_for};
use crate::{Kit, Workspace, toolsets};

/// Shell with background commands.
struct Session {
    bash: Bash,
    commands: BackgroundCommands,
    scratch: Scratch,
}

impl Session {
    fn new(commands: BackgroundCommands) -> Self {
        let scratch = Scratch::new().file("sub/a.txt", "found\n");
        let workspace = Workspace::open(scratch.path()).unwrap();
        Self {
            bash: Bash::new(workspace).with_background(commands.clone()),
            commands,
            scratch,
        }
    }

    /// Creates a file in the working directory of the commands.
    fn touch(&self, name: &str) {
        std::fs::write(self.scratch.path().join("sub").join(name), "").unwrap();
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
        self.output(input).await.unwrap()
    }

    async fn stop(&self, id: &str) -> Result<BackgroundOutput, ToolError> {
        self.output(json!({"id": id, "stop": true})).await
    }

    async fn output(&self, input: Value) -> Result<BackgroundOutput, ToolError> {
        match run(&Background::new(self.commands.clone()), input).await? {
            BackgroundReply::Output(output) => Ok(output),
            BackgroundReply::List(list) => panic!("{list}"),
        }
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new(BackgroundCommands::default())
    }
}

async fn run<E: TypedTool>(tool: &E, input: Value) -> Result<E::Output, ToolError> {
    let input = E::Input::from_arguments(&Arguments::from_value(input)).unwrap();
    drop(tool.plan(&ToolContext::test(), &input)?);
    tool.run(&ToolContext::test(), input).await
}

/// Standard tools, as used by a model.
fn standard(scratch: &Scratch) -> Registry {
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .toolset(&toolsets::standard(&kit).unwrap())
        .unwrap()
        .build()
}

fn statuses(commands: &BackgroundCommands) -> Vec<(String, BackgroundStatus)> {
    let list = commands.list().into_iter();
    list.map(|command| (command.id, command.status)).collect()
}

#[tokio::test]
async fn background_call_returns_while_command_runs() {
    let session = Session::default();

    let id = session
        .start("cat a.txt; while ! [ -e go ]; do sleep 0.01; done; echo over; exit 3")
        .await;

    assert_eq!(
        statuses(&session.commands),
        [(id.clone(), BackgroundStatus::Running)]
    );
    session.touch("go");
    let output = session.read(json!({"id": id, "wait_seconds": 60})).await;
    assert_eq!(output.output, "found\nover\n");
    assert_eq!(
        (output.status, output.exit_code),
        (BackgroundStatus::Exited, Some(3))
    );
    assert_eq!(
        output.to_string(),
        "found\nover\n[command-1: exited with code 3]"
    );
}

#[tokio::test]
async fn kills_processes_left_by_finished_command() {
    let session = Session::default();
    let marker = marker();
    let id = session
        .start(&format!("setsid sleep {marker} >/dev/null & echo done"))
        .await;

    let output = session.read(json!({"id": id, "wait_seconds": 60})).await;

    assert_eq!(
        (output.output.as_str(), output.exit_code),
        ("done\n", Some(0))
    );
    assert_eq!(descendants(&marker), Vec::<String>::new());
}

#[tokio::test]
async fn dropping_last_clone_kills_commands() {
    let session = Session::default();
    let marker = marker();
    session.start(&format!("sleep {marker}")).await;
    session.start(&format!("setsid sleep {marker}")).await;
    assert!(wait_for(|| descendants(&marker).len() > 1).await);

    let commands = session.commands.clone();
    drop(session);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!descendants(&marker).is_empty());
    drop(commands);

    assert!(wait_for(|| descendants(&marker).is_empty()).await);
}

/// A host may skip the wait of its runtime for a thread that cannot be stopped.
#[test]
fn last_drop_waits_for_commands_without_runtime() {
    let marker = marker();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let session = Session::default();
    runtime.block_on(async {
        session
            .start(&format!(
                "trap '' TERM; setsid sleep {marker} & sleep {marker}"
            ))
            .await;
        assert!(wait_for(|| descendants(&marker).len() > 1).await);
    });

    runtime.shutdown_background();
    drop(session);

    assert_eq!(descendants(&marker), Vec::<String>::new());
}

#[test]
fn runtime_shutdown_kills_commands() {
    let marker = marker();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let session = Session::default();
    runtime.block_on(async {
        session
            .start(&format!("setsid sleep {marker} & sleep {marker}"))
            .await;
        assert!(wait_for(|| descendants(&marker).len() > 1).await);
    });

    drop(runtime);

    assert_eq!(descendants(&marker), Vec::<String>::new());
    assert_eq!(
        statuses(&session.commands),
        [("command-1".to_owned(), BackgroundStatus::Stopped)]
    );
}

#[tokio::test]
async fn limit_error_lists_running_commands() {
    let session = Session::new(BackgroundCommands::default().with_limit(2));
    let first = session.start("sleep 60").await;
    session.start("sleep 60").await;

    let error = session.try_start("sleep 60").await.unwrap_err();

    assert_eq!(error.code(), &ErrorCode::CallLimitReached);
    assert_eq!(
        error.to_string(),
        "`background` cannot be set now: 2 commands are running in the background, which is the limit (command-1, command-2). \
         Stop one of them first, or omit the parameter."
    );
    session.stop(&first).await.unwrap();
    assert_eq!(session.start("true").await, "command-3");
}

#[tokio::test]
async fn rejects_directory_outside_workspace() {
    let session = Session::default();
    let input = json!({"command": "true", "background": true, "working_directory": ".."});

    let error = run(&session.bash, input).await.unwrap_err();

    assert_eq!(error.code(), &ErrorCode::PathOutsideWorkspace);
    assert_eq!(session.commands.list(), []);
}
