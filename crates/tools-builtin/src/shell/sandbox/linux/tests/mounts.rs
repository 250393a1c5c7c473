//! Mounts that hold the settings and hooks of repositories.

use std::fs;

use super::*;
use crate::shell::sandbox::linux::mounts;

const CONFIG: &str = "[core]\n\tbare = false\n";

fn repository() -> Scratch {
    fixture()
        .file("root/.git/HEAD", "ref: refs/heads/main\n")
        .file("root/.git/config", CONFIG)
        .file("root/.git/hooks/pre-commit.sample", "#!/bin/sh\n")
        .file("root/.git/modules/m/HEAD", "ref: refs/heads/main\n")
        .file("root/.git/modules/m/config", CONFIG)
        .folder("root/.git/objects")
        .folder("root/.git/refs")
        .file("root/nested/.git/HEAD", "ref: refs/heads/main\n")
        .file("root/nested/.git/config", CONFIG)
        .folder("root/sub")
}

fn is_whole(scratch: &Scratch) -> bool {
    let hooks = fs::read_dir(scratch.path().join("root/.git/hooks")).unwrap();
    let settings = ["root/.git/config", "root/.git/modules/m/config"];
    hooks.count() == 1 && settings.iter().all(|path| scratch.read(path) == CONFIG)
}

#[tokio::test]
async fn settings_and_hooks_cannot_be_changed() {
    if !mounts::is_available() {
        return;
    }
    for script in [
        "echo evil > .git/config",
        "echo evil >> \"$PWD/.git/config\"",
        "cd .git && echo evil > config",
        "cd sub && echo evil > ../.git/config",
        "cd .. && echo evil > root/.git/config",
        "echo evil > /proc/self/cwd/.git/config",
        "echo evil > /proc/self/root/\"$PWD\"/.git/config",
        "git config core.fsmonitor evil",
        "git config -f .git/modules/m/config core.fsmonitor evil",
        "echo evil > new && mv -f new .git/config",
        "ln .git/config link && echo evil > link",
        "rm -f .git/config",
        "mv .git/config .git/other",
        "chmod 600 .git/config",
        "truncate -s 0 .git/config",
        "echo evil > .git/hooks/pre-commit",
        "chmod +x .git/hooks/pre-commit.sample",
        "mv .git/hooks .git/other",
        "mv .git other",
        "mv .git/modules .git/other && echo evil > .git/other/m/config",
        "rm -rf .git/modules/m",
        "umount .git/config",
        "umount -l .git",
        "mount -o remount,bind,rw .git/config",
        "nsenter --mount=/proc/1/ns/mnt true",
        "unshare --mount true",
    ] {
        let scratch = repository();

        let cx = ToolContext::test();
        let output = run_in(&confined(&scratch), &cx, script).await.unwrap();

        let mut report = ToolOutput::default();
        cx.move_additions_to(&mut report);
        assert_ne!(output.exit_code, Some(0), "{script}: {output:?}");
        assert!(is_whole(&scratch), "{script}");
        // Nothing had to be restored.
        assert_eq!(report.metadata.get("protected_restored"), None, "{script}");
        assert_eq!(report.metadata["sandbox"]["protected"], "mounted");
    }
}

#[tokio::test]
async fn nobody_sees_a_change_while_the_command_runs() {
    if !mounts::is_available() {
        return;
    }
    let scratch = repository();
    let tool = confined(&scratch);

    let command = run(
        &tool,
        "echo evil > .git/config; echo evil > .git/hooks/x; touch began; while [ ! -e ended ]; do sleep 0.01; done",
    );
    let look = async {
        while !scratch.has("root/began") {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let seen = is_whole(&scratch);
        fs::write(scratch.path().join("root/ended"), "").unwrap();
        seen
    };
    let (output, is_whole) = tokio::join!(command, look);

    assert!(is_whole);
    assert_eq!(output.unwrap().exit_code, Some(0));
}

#[tokio::test]
async fn other_entries_can_be_changed() {
    let scratch = repository();
    let script = "echo x > .git/HEAD.new && mv .git/HEAD.new .git/HEAD && mkdir .git/refs/heads \
        && rm -rf nested && mv sub moved && echo y > moved/a && pwd && ls /proc/self/fd >/dev/null";

    let output = run(&confined(&scratch), script).await.unwrap();

    assert_eq!(output.exit_code, Some(0), "{output:?}");
    let root = fs::canonicalize(scratch.path().join("root")).unwrap();
    assert_eq!(output.stdout.trim_end(), root.to_str().unwrap());
    assert_eq!(scratch.read("root/.git/HEAD"), "x\n");
    assert_eq!(scratch.read("root/moved/a"), "y\n");
    assert!(!scratch.has("root/nested"));
}

#[tokio::test]
async fn working_directory_is_in_the_namespace() {
    if !mounts::is_available() {
        return;
    }
    let scratch = repository();
    let input =
        json!({"command": "pwd -P; echo evil > ../.git/config", "working_directory": "sub"});
    let input = serde_json::from_value(input).unwrap();

    let output = confined(&scratch).run(&ToolContext::test(), input).await;

    let output = output.unwrap();
    assert_ne!(output.exit_code, Some(0), "{output:?}");
    assert!(output.stdout.ends_with("root/sub\n"), "{output:?}");
    assert!(is_whole(&scratch));
}

#[tokio::test]
async fn host_has_none_of_the_mounts() {
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
    let scratch = repository();
    let before = mounts();

    let output = run(&confined(&scratch), "grep -c /.git /proc/self/mountinfo").await;

    let expected = if mounts::is_available() { "6" } else { "0" };
    assert_eq!(output.unwrap().stdout.trim_end(), expected);
    let ours = |all: &str| all.lines().filter(|line| line.contains("/.git")).count();
    assert_eq!(ours(&mounts()), ours(&before));
}

#[tokio::test]
async fn explains_refused_changes() {
    if !mounts::is_available() {
        return;
    }
    let scratch = repository();
    for script in [
        "git config core.pager less",
        "echo x > .git/hooks/pre-commit",
    ] {
        let warnings = report(&confined(&scratch), script).await.warnings;

        assert!(warnings[0].contains("write:.git/config"), "{warnings:?}");
    }
}
