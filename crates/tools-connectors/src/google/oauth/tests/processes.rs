//! Tests in other processes.

use std::process::{Command, Stdio};

pub(super) const FOLDER: &str = "TOOLWRIGHT_TOKEN_FOLDER";

/// Returns a command that runs one of these tests in another process, after `shell`.
pub(super) fn process(shell: &str, test: &str) -> Command {
    let mut command = Command::new("sh");
    let path = std::env::current_exe().unwrap();
    let name = format!("google::oauth::tests::{test}");
    command
        .args(["-c", &format!("{shell} exec \"$0\" --exact \"$1\"")])
        .args([path.as_os_str(), name.as_ref()])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}
