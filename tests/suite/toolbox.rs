//! The `toolbox` example as a program.

mod batch;
mod call;
#[cfg(target_os = "linux")]
mod interrupt;
mod judge;
mod ledger;
mod list;
mod many_tools;
mod mcp;
#[cfg(target_os = "linux")]
mod mcp_ends;
mod mcp_laws;
#[cfg(target_os = "linux")]
mod pdf;
mod providers;
mod search;
mod services;
mod text;
mod toolsets;
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

/// Path of the program.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| program("toolbox"));

/// Result of one run of the program.
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) output: String,
    errors: String,
}

impl Run {
    /// Parses standard output as one document.
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.output)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.output, self.errors))
    }

    /// Parses the lines of standard output.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.output
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// Runs the program in a directory.
pub(crate) fn run_in(scratch: &Scratch, arguments: &[&str], input: &str) -> Run {
    run_with(scratch, arguments, input, [])
}

/// Runs the program in a directory, with these variables of the environment.
fn run_with<'v>(
    scratch: &Scratch,
    arguments: &[&str],
    input: &str,
    variables: impl IntoIterator<Item = (&'v str, &'v str)>,
) -> Run {
    let mut child = Command::new(PROGRAM.as_path())
        .args(arguments)
        .envs(variables)
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut source = child.stdin.take().unwrap();
    let output = thread::scope(|scope| {
        // Ignore write errors: the program may exit without reading its input.
        scope.spawn(move || source.write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    });
    Run {
        status: output.status.code(),
        output: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the program in an empty directory.
fn run(arguments: &[&str], input: &str) -> Run {
    run_in(&Scratch::new(), arguments, input)
}

fn json_lines(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    lines.join("\n")
}
