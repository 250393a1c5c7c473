//! Start of the user's browser.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Time in which a failed start is detected.
const STARTED: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

/// Opens a URL in the user's browser and returns whether that worked. Blocks for at most 2 seconds.
pub(super) fn open(url: &str) -> bool {
    if cfg!(all(unix, not(target_os = "macos"))) && !has_display() {
        return false;
    }
    let (program, first): (&str, Option<&str>) = if cfg!(windows) {
        ("rundll32", Some("url.dll,FileProtocolHandler"))
    } else if cfg!(target_os = "macos") {
        ("open", None)
    } else {
        ("xdg-open", None)
    };
    start(program, first, url)
}

/// Starts a program with the URL as one argument, without a shell.
fn start(program: &str, first: Option<&str>, url: &str) -> bool {
    let mut command = Command::new(program);
    command.args(first).arg(url);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().is_ok_and(is_started)
}

fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Returns whether the program runs for 2 seconds or ends without an error.
fn is_started(mut child: Child) -> bool {
    let end = Instant::now() + STARTED;
    while Instant::now() < end {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => thread::sleep(PAUSE),
            Err(_) => return false,
        }
    }
    // Reap the program when it ends, which may be much later.
    let reaper = thread::Builder::new().name("browser".to_owned());
    let _ = reaper.spawn(move || child.wait());
    true
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn missing_or_failing_program_is_not_started() {
        for (program, is_started) in [
            ("no-such-program-for-tests", false),
            ("false", false),
            ("true", true),
        ] {
            assert_eq!(start(program, None, "http://127.0.0.1"), is_started);
        }
        // A program that runs for 2 seconds counts as started.
        assert!(start("sleep", Some("3"), "0"));
    }
}
