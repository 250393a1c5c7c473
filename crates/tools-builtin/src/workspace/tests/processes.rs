//! Two processes that edit one file.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use tool_core::{CancellationToken, ErrorCode};
use tool_test::Scratch;

use crate::workspace::Workspace;

/// Edits of each process in a round.
const EDITS: usize = 20;
/// Names the directory and the number of rounds of the second process.
const CHILD: &str = "TOOLWRIGHT_TEST_PROCESSES";
const LIMIT: u64 = 1024 * 1024;

fn open(directory: &Path) -> Workspace {
    let builder = Workspace::builder().root(directory.join("root"));
    builder
        .checkpoints_in(directory.join("state"))
        .build()
        .unwrap()
}

/// Replaces the lines of one process. Returns the number of edits that reported success.
fn edit_lines(workspace: &Workspace, file: &str, process: &str) -> usize {
    let none = CancellationToken::new();
    let edit_line = |number: usize| {
        let edit = workspace.edit("path", file, LIMIT, &none).unwrap();
        let text = String::from_utf8(edit.content().to_vec()).unwrap();
        let old = format!("{process} {number:02} old\n");
        assert!(text.contains(&old));
        edit.replace(
            text.replace(&old, &old.replace("old", "new")).as_bytes(),
            &none,
        )
    };
    let outcomes = (0..EDITS).map(edit_line);
    outcomes
        .filter(|outcome| match outcome {
            Ok(()) => true,
            Err(error) => {
                assert_eq!(error.code(), &ErrorCode::Conflict, "{error}");
                false
            }
        })
        .count()
}

fn wait_for(path: &Path) {
    for _ in 0..30_000 {
        if path.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("{} is missing", path.display());
}

/// The second process.
#[test]
#[ignore = "a child process of another test"]
fn child_that_edits() {
    let Ok(child) = std::env::var(CHILD) else {
        return;
    };
    let (rounds, directory) = child.split_once(' ').unwrap();
    let directory = Path::new(directory);
    let workspace = open(directory);
    for round in 0..rounds.parse().unwrap() {
        wait_for(&directory.join(format!("go-{round}")));
        let successes = edit_lines(&workspace, &round.to_string(), "two");
        let done = directory.join(format!("done-{round}"));
        fs::write(done.with_extension("new"), successes.to_string()).unwrap();
        fs::rename(done.with_extension("new"), done).unwrap();
    }
}

fn edit_in_two_processes(rounds: usize) {
    let scratch = Scratch::new().folder("root");
    let directory = scratch.path();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "workspace::tests::processes::child_that_edits",
            "--ignored",
        ])
        .env(CHILD, format!("{rounds} {}", directory.display()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let workspace = open(directory);
    let lines = (0..EDITS).map(|line| format!("one {line:02} old\ntwo {line:02} old\n"));
    let lines = lines.collect::<Vec<String>>().concat();
    for round in 0..rounds {
        let file = directory.join("root").join(round.to_string());
        fs::write(&file, &lines).unwrap();
        fs::write(directory.join(format!("go-{round}")), "").unwrap();

        let own = edit_lines(&workspace, &round.to_string(), "one");

        let done = directory.join(format!("done-{round}"));
        wait_for(&done);
        let other: usize = fs::read_to_string(done).unwrap().parse().unwrap();
        let changed = fs::read_to_string(file).unwrap().matches("new").count();
        assert_eq!(own + other, changed, "round {round}");
        // With locks, nobody is in the way of the other.
        assert_eq!(changed, 2 * EDITS, "round {round}");
    }
    assert!(child.wait().unwrap().success());
}

#[test]
fn two_processes_lose_no_edit_that_succeeded() {
    edit_in_two_processes(5);
}

/// `cargo test -p tools-builtin --lib many_rounds -- --ignored`, 5 to 12 minutes
#[test]
#[ignore = "1,000 rounds"]
fn two_processes_lose_no_edit_in_many_rounds() {
    edit_in_two_processes(1000);
}
