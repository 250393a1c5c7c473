//! Repositories below the root, which the user's Git enters.

use super::*;

const COMMIT: &str =
    "-c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q --allow-empty -m one";

/// Creates a repository with a nested one, a submodule of which only the directory is in `.git`, and a
/// linked working tree.
fn repositories() -> Scratch {
    let scratch = fixture();
    prepare(
        &scratch,
        &format!(
            "git init -q . && git {COMMIT} && git init -q nested && git -C nested {COMMIT} \
             && git -C nested config core.pager mine && echo mine > nested/.git/hooks/post-merge \
             && git init -q sub && git -C sub {COMMIT} && mkdir .git/modules && mv sub/.git .git/modules/sub \
             && echo 'gitdir: ../.git/modules/sub' > sub/.git && git -C sub config core.worktree ../../../sub \
             && git worktree add -q tree"
        ),
    );
    scratch
}

/// Runs a script outside the sandbox.
fn prepare(scratch: &Scratch, script: &str) -> String {
    let output = std::process::Command::new("sh")
        .args(["-ec", script])
        .current_dir(scratch.path().join("root"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{script}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn existing_repositories_keep_settings_and_hooks() {
    for (script, names) in [
        (
            "git -C nested config core.fsmonitor ./evil",
            vec!["nested/.git/config"],
        ),
        (
            "git -C sub config core.fsmonitor ./evil",
            vec![".git/modules/sub/config"],
        ),
        (
            "echo evil > nested/.git/hooks/pre-commit",
            vec!["nested/.git/hooks"],
        ),
        ("rm nested/.git/hooks/post-merge", vec!["nested/.git/hooks"]),
        (
            "echo evil > .git/modules/sub/hooks/pre-commit",
            vec![".git/modules/sub/hooks"],
        ),
        (
            "echo ../../nested/.git > .git/worktrees/tree/commondir",
            vec![".git/worktrees/tree/commondir"],
        ),
        (
            "echo /srv > nested/.git/commondir",
            vec!["nested/.git/commondir"],
        ),
        (
            "echo '[core] fsmonitor = ./evil' > .git/worktrees/tree/config.worktree",
            vec![".git/worktrees/tree/config.worktree"],
        ),
        (
            "mkdir d && cp -r nested/.git d/git && echo 'gitdir: ../d/git' > sub/.git",
            vec!["sub/.git"],
        ),
        (
            "rm sub/.git && ln -s ../nested/.git sub/.git",
            vec!["sub/.git"],
        ),
    ] {
        let scratch = repositories();
        let listing = "cat */.git/config */.git/hooks/p* .git/modules/*/config .git/modules/*/hooks/p* \
             .git/worktrees/*/commondir sub/.git tree/.git; ls .git/worktrees/*";
        let before = prepare(&scratch, listing);

        let report = report(&confined(&scratch), script).await;

        assert_eq!(prepare(&scratch, listing), before, "{script}");
        assert_eq!(
            report.metadata["protected_restored"],
            json!(names),
            "{script}"
        );
    }
}

#[tokio::test]
async fn new_repositories_lose_what_runs_programs() {
    for (script, names) in [
        (
            "git init -q packages/x && git -C packages/x config core.fsmonitor ./evil",
            vec!["packages/x/.git/config"],
        ),
        (
            "git init -q x && echo evil > x/.git/hooks/pre-commit && mv x nested/deeper",
            vec!["nested/deeper/.git/hooks/pre-commit"],
        ),
        (
            "cp -r .git/modules/sub .git/modules/other && printf '[core]\\nfsmonitor = evil\\n' >> .git/modules/other/config",
            vec![".git/modules/other/config"],
        ),
        (
            "mkdir y && echo 'gitdir: /srv/evil' > y/.git",
            vec!["y/.git"],
        ),
        (
            "mkdir y && cp -r nested/.git evil && ln -s .. up && echo 'gitdir: ../up/root/../root/nested/.git' > y/.git",
            vec!["y/.git"],
        ),
        ("mkdir y && ln -s ../nested/.git y/.git", vec!["y/.git"]),
    ] {
        let scratch = repositories();

        let report = report(&confined(&scratch), script).await;

        assert_eq!(
            report.metadata["protected_removed"],
            json!(names),
            "{script}"
        );
        let left = "grep -rl evil packages x nested y/.git .git/modules 2>/dev/null || true";
        assert_eq!(prepare(&scratch, left), "", "{script}");
    }
}

#[tokio::test]
async fn usual_work_with_repositories_causes_no_warning() {
    for (script, used) in [
        (
            "mv nested moved",
            "git -C moved config core.pager | grep mine && cat moved/.git/hooks/post-merge",
        ),
        ("rm -rf nested", "! ls nested"),
        (
            "git worktree add -q second",
            "git -C second status && git worktree list | grep second",
        ),
        ("git clone -q ./nested copy", "git -C copy log"),
        (
            "git init -q new && git -C new config user.name a",
            "git -C new config user.name",
        ),
        (
            "git -c user.name=a -c user.email=a@b -C nested commit -q --allow-empty -m two",
            "git -C nested log",
        ),
        ("git -C tree log", "git -C tree status"),
    ] {
        let scratch = repositories();

        let report = report(&confined(&scratch), script).await;

        assert_eq!(report.warnings, [""; 0], "{script}");
        prepare(&scratch, used);
    }
}

#[tokio::test]
async fn closed_directories_are_restored() {
    let scratch = repositories();
    let script = "echo evil >> .git/config; echo evil > nested/.git/hooks/pre-commit; \
        chmod 500 .git nested/.git nested/.git/hooks nested .";

    run(&confined(&scratch), script).await.unwrap();

    let left = "chmod 755 . nested; grep -rl evil .git/config nested/.git || true";
    assert_eq!(prepare(&scratch, left), "");
}

#[tokio::test]
async fn literal_git_keeps_harmless_settings_and_scripts_do_not() {
    for (command, kept) in [
        ("git checkout -q -b f origin/main", true),
        ("git switch -q -c f origin/main", true),
        ("git branch -q -u origin/main", true),
        ("sh script.sh", false),
        ("git checkout -q -b f origin/main && sh evil.sh", false),
    ] {
        let scratch = fixture();
        prepare(
            &scratch,
            &format!(
                "git init -q -b main ../origin && git -C ../origin {COMMIT} && git init -q -b main . \
                 && git remote add origin ../origin && git fetch -q && git reset -q --hard origin/main \
                 && echo git checkout -q -b f origin/main > script.sh && echo git config core.pager evil > evil.sh"
            ),
        );
        let workspace = Workspace::open(scratch.path().join("root")).unwrap();
        let bash = crate::shell::Bash::new(workspace).with_sandbox(Sandbox::standard());
        let input = serde_json::from_value(json!({"command": command})).unwrap();
        let cx = ToolContext::test();

        let output = bash.run(&cx, input).await.unwrap();

        let mut report = ToolOutput::default();
        cx.move_additions_to(&mut report);
        assert_eq!(output.exit_code, Some(0), "{command}: {output:?}");
        let config = scratch.read("root/.git/config");
        assert_eq!(config.contains("[branch "), kept, "{command}: {config}");
        assert_eq!(report.warnings.is_empty(), kept, "{command}");
        assert!(!config.contains("evil"), "{command}");
    }
}
