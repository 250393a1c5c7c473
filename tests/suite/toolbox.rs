//! The `toolbox` example, run as a user runs it.

mod batch;
mod call;
#[cfg(target_os = "linux")]
mod interrupt;
mod list;
mod providers;
mod usage;
mod validate;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::SystemTime;

use serde_json::Value;
use tool_test::Scratch;

/// The program, built once where it is missing or older than its sources.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    let name = format!("toolbox{}", std::env::consts::EXE_SUFFIX);
    let program = profile.join("examples").join(name);
    let built = program.metadata().and_then(|file| file.modified()).ok();
    if built < newest_source() {
        build(profile);
    }
    program
});

fn build(profile: &Path) {
    let name = match profile.file_name().and_then(OsStr::to_str).unwrap() {
        "debug" => "dev",
        other => other,
    };
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "-p", "examples", "--example", "toolbox"])
        .args(["--profile", name, "--target-dir"])
        .arg(profile.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .unwrap();
    assert!(status.success(), "the example cannot be built");
}

fn newest_source() -> Option<SystemTime> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    ["examples/toolbox", "crates"]
        .iter()
        .filter_map(|folder| newest_below(&root.join(folder)))
        .max()
}

fn newest_below(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let times = entries.filter_map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => newest_below(&entry.path()),
        _ if entry.path().extension()? == "rs" => entry.metadata().ok()?.modified().ok(),
        _ => None,
    });
    times.max()
}

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
