//! Repositories in unusual states, trees that change during a scan, and the cost of a scan.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use super::*;

const CONFLICT: &str = "git init -q -b main . && echo 1 > f && git add f && git commit -qm one && git checkout -qb other \
    && echo 2 > f && git commit -qam two && git checkout -q main && echo 3 > f && git commit -qam three; ! git rebase -q other";
const SUBMODULE: &str = "git init -q -b main ../sub && git -C ../sub commit -q --allow-empty -m one && git init -q -b main . \
    && git -c protocol.file.allow=always submodule --quiet add ../sub sub && echo 1 > f && git add f && git commit -qm one";
const WORKTREE: &str = "git init -q -b main ../main && git -C ../main commit -q --allow-empty -m one \
    && git -C ../main worktree add -q \"$PWD/w\" && mv w/.git .git && rmdir w && echo 1 > f";

/// Runs a script in the workspace.
fn prepare(root: &Path, script: &str) -> String {
    let output = Command::new("sh")
        .args(["-ec", script])
        .current_dir(root)
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "a")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "a@b")))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{script}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn files_of_unusual_repositories_are_restored() {
    for (script, list) in [
        (
            CONFLICT,
            "git status --porcelain=v2 && ls .git/rebase-merge && cat f",
        ),
        (
            SUBMODULE,
            "git status --porcelain=v2 && cat f && git -C sub log --format=%s",
        ),
        (WORKTREE, "git log --format=%s && cat f"),
        (
            "git init -q --bare . && echo 1 > f",
            "git log --format=%s 2>&1 | head -c 5; cat f",
        ),
        (
            "git init -q . && rm -rf .git/objects && echo 1 > f",
            "cat f",
        ),
        (
            "mkdir .git && echo garbage > .git/index && echo 1 > f",
            "cat f .git/index",
        ),
    ] {
        let layout = Layout::new(Scratch::new().folder("root"));
        let root = layout.path("root");
        prepare(&root, script);
        let before = prepare(&root, list);
        let workspace = Workspace::builder().root(&root);
        let workspace = workspace.checkpoints_in(layout.state.path().join("state"));
        let workspace = workspace.build().unwrap();

        let changed = during(&workspace, "call", || {
            prepare(&root, "rm f; mkdir -p new/f; echo 2 > new/f/g");
        });
        workspace.undo("call").unwrap();

        assert_eq!(changed.paths, ["f", "new", "new/f", "new/f/g"], "{script}");
        assert_eq!(prepare(&root, list), before, "{script}");
    }
}

#[test]
fn files_that_disappear_during_a_scan_are_no_error() {
    let layout = Layout::new(Scratch::new().file("kept", "1"));
    let workspace = layout.open();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let _ = fs::create_dir_all(layout.path("a/b"));
                for number in 0..20 {
                    let _ = fs::write(layout.path(&format!("a/b/{number}")), "x");
                }
                let _ = fs::remove_dir_all(layout.path("a"));
            }
        });
        for _ in 0..40 {
            let checkpoint = workspace.checkpoint(&none());
            let finished = checkpoint.and_then(|checkpoint| checkpoint.finish("call", &none()));
            if let Err(error) = finished {
                is_over.store(true, Ordering::Relaxed);
                panic!("{error:?}");
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(layout.scratch.read("kept"), "1");
}

#[test]
fn place_that_cannot_be_written_is_an_error() {
    let layout = Layout::new(Scratch::new().file("a", "1"));
    let file = layout.state.path().join("file");
    fs::write(&file, "").unwrap();
    for place in ["/proc/1/toolwright".into(), "/dev/full".into(), file] {
        let workspace = Workspace::builder().root(layout.scratch.path());
        let workspace = workspace.checkpoints_in(&place).build().unwrap();

        let error = workspace.checkpoint(&none()).unwrap_err();

        assert!(
            matches!(error, CheckpointError::Io(_)),
            "{place:?}: {error:?}"
        );
    }
}

/// `cargo test --release -p tools-builtin --all-features --lib cost_of_checkpoints -- --ignored --nocapture`
#[test]
#[ignore = "prints figures"]
fn cost_of_checkpoints() {
    for files in [4_000, 100_000] {
        let layout = Layout::new(Scratch::new());
        for number in 0..files {
            let directory = layout.path(&format!("{}/{}", number % 40, number / 40 % 25));
            fs::create_dir_all(&directory).unwrap();
            fs::write(
                directory.join(number.to_string()),
                format!("{number}\n").repeat(200),
            )
            .unwrap();
        }
        let workspace = layout.open();
        let first = Instant::now();
        during(&workspace, "first", || ());
        println!("{files} files: first, with its end: {:?}", first.elapsed());
        let mut times: Vec<_> = (0..20)
            .map(|_| {
                thread::sleep(std::time::Duration::from_millis(100));
                let start = Instant::now();
                let checkpoint = workspace.checkpoint(&none()).unwrap();
                let second = start.elapsed();
                let start = Instant::now();
                checkpoint.finish("next", &none()).unwrap();
                (second, start.elapsed())
            })
            .collect();
        times.sort();
        println!(
            "{files} files: unchanged, median of 20 (before, after the command): {:?}",
            times[10]
        );
    }
}
