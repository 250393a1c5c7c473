//! The `toolbox` example, run as a user runs it.

mod batch;
mod call;
mod contracts;
#[cfg(target_os = "linux")]
mod interrupt;
mod judge;
mod list;
mod providers;
mod search;
mod text;
mod usage;
mod validate;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread;

use serde_json::Value;
use tool_test::Scratch;

use crate::program::program;

/// The program.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| program("toolbox"));

/// What one run of the program gave.
struct Run {
    status: Option<i32>,
    output: String,
    errors: String,
}

impl Run {
    /// The one document on standard output.
    fn document(&self) -> Value {
        serde_json::from_str(&self.output)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.output, self.errors))
    }

    /// The lines on standard output.
    fn lines(&self) -> Vec<Value> {
        self.output
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// Runs the program in a folder.
fn run_in(scratch: &Scratch, arguments: &[&str], input: &str) -> Run {
    let mut child = Command::new(PROGRAM.as_path())
        .args(arguments)
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut source = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // A program that ends without reading closes the pipe, which is no concern of the test.
        scope.spawn(move || source.write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    });
    Run {
        status: output.status.code(),
        output: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the program in an empty folder.
fn run(arguments: &[&str], input: &str) -> Run {
    run_in(&Scratch::new(), arguments, input)
}

fn json_lines(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n")
}
