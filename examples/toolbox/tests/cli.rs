//! The program as a user calls it. The tests across crates cover its commands.

use std::process::{Command, Stdio};

const TOOLBOX: &str = env!("CARGO_BIN_EXE_toolbox");

#[test]
fn every_command_has_help_with_an_example() {
    let help = Command::new(TOOLBOX).arg("--help").output().unwrap();
    assert!(help.status.success());
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.map_while(|line| line.strip_prefix("  ")?.split(' ').next());

    let mut seen = 0;
    for command in commands.filter(|name| !name.is_empty() && *name != "help") {
        let output = Command::new(TOOLBOX)
            .args([command, "--help"])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();

        assert!(
            output.status.success() && text.contains("toolbox "),
            "{command}: {text}"
        );
        seen += 1;
    }
    assert!(seen >= 10, "{seen} commands in {help}");
}

#[test]
fn closed_pipe_is_no_panic() {
    for arguments in [
        &["list"][..],
        &["list", "--human"],
        &["completions", "zsh"],
        &["call", "list", "--human"],
    ] {
        let mut child = Command::new(TOOLBOX)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());

        let output = child.wait_with_output().unwrap();

        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
    }
}
