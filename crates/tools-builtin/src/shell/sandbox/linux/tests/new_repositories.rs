//! Repositories that commands create.

use std::fs;

use super::*;

/// Runs `script` and then `git log` and `git status`, and returns the warnings of `script`.
async fn create_repository(scratch: &Scratch, script: &str) -> Vec<String> {
    let warnings = report(&confined(scratch), script).await.warnings;
    let used = "git status --short && git log --format=%s && git config --list --local";
    let used = run(&confined(scratch), used).await.unwrap();
    assert_eq!(used.exit_code, Some(0), "{script}: {used:?}");
    assert!(
        used.stdout.contains("core.bare=false"),
        "{script}: {used:?}"
    );
    warnings
}

const COMMIT: &str =
    "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q --allow-empty -m one";

#[tokio::test]
async fn new_repository_keeps_harmless_config() {
    for script in [
        format!("git init -q . && {COMMIT}"),
        format!("git init -q -b main && git config user.name Ada && {COMMIT}"),
        format!("git init -q x && cd x && {COMMIT} && cd .. && mv x/.git . && rm -r x"),
        format!(
            "git init -q x && (cd x && {COMMIT}) && rm a.txt && git clone -q ./x y && mv y/.git ."
        ),
    ] {
        let scratch = fixture();

        assert_eq!(
            create_repository(&scratch, &script).await,
            [""; 0],
            "{script}"
        );
        assert!(scratch.has("root/.git/hooks"), "{script}");
    }
}

#[tokio::test]
async fn new_repository_loses_hooks_and_settings_that_run_programs() {
    for (change, names) in [
        ("git config core.pager evil", "`.git/config`"),
        ("git config core.fsmonitor ./evil", "`.git/config`"),
        ("git config include.path ../evil", "`.git/config`"),
        (
            "echo evil > .git/hooks/pre-commit",
            "`.git/hooks/pre-commit`",
        ),
        (
            "ln -s ../../evil .git/hooks/a.sample",
            "`.git/hooks/a.sample`",
        ),
        (
            "rm -r .git/hooks; ln -s ../evil .git/hooks; git config alias.x '!evil'",
            "`.git/hooks`, `.git/config`",
        ),
    ] {
        let scratch = fixture();
        let script = format!("git init -q . && {COMMIT} && ({change})");

        let warnings = create_repository(&scratch, &script).await;

        assert_eq!(
            warnings,
            [format!(
                "The command created a repository whose hooks or settings can run programs, which were removed: {names}."
            )],
            "{script}"
        );
        assert!(
            !scratch.read("root/.git/config").contains("evil"),
            "{script}"
        );
        assert!(!scratch.has("root/.git/hooks/pre-commit"), "{script}");
    }
}

#[tokio::test]
async fn unreadable_new_repository_is_removed() {
    for closed in [".git/config", ".git/hooks", ".git"] {
        let scratch = fixture();
        let script = format!(
            "git init -q . && git config core.pager evil && touch .git/hooks/x && chmod 000 {closed}"
        );

        run(&confined(&scratch), &script).await.unwrap();

        let left = std::process::Command::new("sh")
            .args([
                "-c",
                "chmod -R u+rwX .git; grep -r evil .git/config; ls .git/hooks/x",
            ])
            .current_dir(scratch.path().join("root"))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&left.stdout), "", "{closed}");
    }
}

#[tokio::test]
async fn new_repository_is_cleaned_even_if_the_search_fails() {
    let scratch = fixture();
    // No system call accepts a path of this length.
    let deep = "for (1..25) { mkdir(\"x\" x 200); chdir(\"x\" x 200) or die }";
    let script = format!("git init -q . && git config core.pager evil && perl -e '{deep}'");

    let error = run(&confined(&scratch), &script).await.unwrap_err();

    assert_eq!(error.code(), &tool_core::ErrorCode::Protected, "{error}");
    assert!(!scratch.read("root/.git/config").contains("evil"));
}

#[tokio::test]
async fn config_of_new_repository_has_no_other_names() {
    let scratch = fixture();
    let script = "git init -q . && ln .git/config other";

    let warnings = create_repository(&scratch, &format!("{script} && {COMMIT}")).await;
    fs::write(scratch.path().join("root/other"), "evil").unwrap();

    assert_eq!(warnings, [""; 0]);
    assert!(scratch.read("root/.git/config").contains("bare = false"));
}

#[tokio::test]
async fn new_repository_is_protected_in_later_calls() {
    let scratch = fixture();
    create_repository(&scratch, &format!("git init -q . && {COMMIT}")).await;

    let later = report(
        &confined(&scratch),
        "git config user.name x; echo evil > .git/hooks/pre-commit",
    )
    .await;

    assert_eq!(
        later.metadata["protected_restored"],
        json!([".git/hooks", ".git/config"])
    );
    assert!(!scratch.has("root/.git/hooks/pre-commit"));
}
