//! Protected names.

use std::fs;

use super::*;

/// Creates a git repository with a sample hook.
fn repository() -> Scratch {
    fixture()
        .file("root/.git/HEAD", "ref: refs/heads/main\n")
        .file("root/.git/config", "[core]\n\tbare = false\n")
        .file("root/.git/hooks/pre-commit.sample", "#!/bin/sh\n")
        .folder("root/.git/objects")
        .folder("root/.git/refs")
}

/// Lists all existing protected names with their content.
fn protected(scratch: &Scratch) -> String {
    let script = "for f in .git $(find .git/config .git/hooks .toolwright .git/commondir 2>/dev/null | sort); do \
        stat -c '%F %a %N' $f; [ -f $f ] && [ ! -L $f ] && cat $f; done; true";
    let output = std::process::Command::new("sh")
        .args(["-c", script])
        .current_dir(scratch.path().join("root"))
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Asserts that changes by `script` to protected names are restored.
async fn assert_restored(script: &str, names: &[&str]) {
    let scratch = repository();
    let before = protected(&scratch);
    let changed = run(&tool(&scratch), script).await.unwrap();
    assert_eq!(changed.exit_code, Some(0), "{script}: {changed:?}");
    assert_ne!(protected(&scratch), before, "{script} changes nothing");

    let scratch = repository();
    let cx = ToolContext::test();
    let output = run_in(&confined(&scratch), &cx, script).await.unwrap();
    let mut report = ToolOutput::default();
    cx.move_additions_to(&mut report);

    assert_eq!(output.exit_code, Some(0), "{script}: {output:?}");
    assert_eq!(protected(&scratch), before, "{script}");
    assert_eq!(
        report.metadata["protected_restored"],
        json!(names),
        "{script}"
    );
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    assert_eq!(
        report.warnings,
        [format!(
            "The command changed protected files, which were restored: {}.",
            quoted.join(", ")
        )]
    );
}

#[tokio::test]
async fn restores_changed_config() {
    assert_restored("git config core.pager evil", &[".git/config"]).await;
    assert_restored("echo evil > .git/config", &[".git/config"]).await;
    assert_restored("chmod 600 .git/config", &[".git/config"]).await;
    assert_restored("chmod 700 .git/hooks", &[".git/hooks"]).await;
    assert_restored("rm .git/config", &[".git/config"]).await;
    assert_restored(
        "rm .git/config; mkdir -p .git/config/deep",
        &[".git/config"],
    )
    .await;
}

#[tokio::test]
async fn removes_new_hook() {
    let script = "echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    assert_restored(script, &[".git/hooks"]).await;
    assert_restored(
        "mkdir -p .git/hooks/a/b; touch .git/hooks/a/b/c",
        &[".git/hooks"],
    )
    .await;
}

#[tokio::test]
async fn restores_changed_hook() {
    assert_restored("echo evil >> .git/hooks/pre-commit.sample", &[".git/hooks"]).await;
    assert_restored("chmod +x .git/hooks/pre-commit.sample", &[".git/hooks"]).await;
    assert_restored("mv .git/hooks .git/kept", &[".git/hooks"]).await;
    assert_restored(
        "rm -r .git/hooks; ln -s ../evil .git/hooks",
        &[".git/hooks"],
    )
    .await;
}

#[tokio::test]
async fn removes_new_protected_name() {
    assert_restored("echo ../evil > .git/commondir", &[".git/commondir"]).await;
    assert_restored("touch .toolwright", &[".toolwright"]).await;
}

#[tokio::test]
async fn restores_directory_replaced_by_symlink() {
    let scratch = repository();
    let script = "cp -r .git evil; echo evil > evil/config; mv .git old; ln -s evil .git";

    let output = run(&confined(&scratch), script).await.unwrap();

    assert_eq!(output.exit_code, Some(0), "{output:?}");
    let link = fs::symlink_metadata(scratch.path().join("root/.git")).unwrap();
    assert!(link.is_dir());
    assert_eq!(scratch.read("root/.git/config"), "[core]\n\tbare = false\n");
    assert_eq!(
        scratch.read("root/.git/hooks/pre-commit.sample"),
        "#!/bin/sh\n"
    );
    assert_eq!(scratch.read("root/evil/config"), "evil\n");
}

#[tokio::test]
async fn restore_does_not_write_through_hard_link() {
    let scratch = repository();

    run(
        &confined(&scratch),
        "ln .git/config other; echo evil > other",
    )
    .await
    .unwrap();

    assert_eq!(scratch.read("root/.git/config"), "[core]\n\tbare = false\n");
    assert_eq!(scratch.read("root/other"), "evil\n");
}

#[tokio::test]
async fn restores_git_file_and_symlink() {
    let scratch = fixture();
    run(&confined(&scratch), "echo 'gitdir: evil' > .git")
        .await
        .unwrap();
    assert!(!scratch.has("root/.git"));

    let scratch = fixture().file("root/.git", "gitdir: ../main\n");
    run(&confined(&scratch), "echo 'gitdir: evil' > .git")
        .await
        .unwrap();
    assert_eq!(scratch.read("root/.git"), "gitdir: ../main\n");

    let scratch = fixture().link("root/.git", "../main");
    run(
        &confined(&scratch),
        "rm .git; mkdir -p .git/hooks; touch .git/config",
    )
    .await
    .unwrap();
    let target = fs::read_link(scratch.path().join("root/.git")).unwrap();
    assert_eq!(target.to_str(), Some("../main"));
}

#[tokio::test]
async fn failed_restoration_fails_the_call_and_the_next() {
    let scratch = repository();
    let pipe = scratch.path().join("root/.git/hooks/pipe");
    let make_pipe =
        || rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    make_pipe();
    let tool = confined(&scratch);

    let kept = run(&tool, "test -p .git/hooks/pipe").await;
    let lost = run(&tool, "rm .git/hooks/pipe; echo x > .git/hooks/pre-commit").await;
    let next = run(&tool, "touch ran").await;
    make_pipe();
    let repaired = run(&tool, "true").await;

    assert_eq!(kept.unwrap().exit_code, Some(0));
    let lost = lost.unwrap_err();
    assert_eq!(lost.code(), &tool_core::ErrorCode::Protected);
    assert!(
        lost.message()
            .contains("could not be restored: `.git/hooks`"),
        "{lost}"
    );
    assert_eq!(next.unwrap_err().code().as_str(), "sandbox_unavailable");
    assert!(!scratch.has("root/ran"));
    assert_eq!(repaired.unwrap().exit_code, Some(0));
    assert!(!scratch.has("root/.git/hooks/pre-commit"));
}

/// File system that is unmounted on drop.
struct Mounted(std::path::PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount")
            .arg("-l")
            .arg(&self.0)
            .status();
    }
}

#[tokio::test]
async fn full_disk_leaves_no_changed_settings() {
    let scratch = fixture();
    let root = scratch.path().join("root");
    let mount = ["-t", "tmpfs", "-o", "size=128k", "full"];
    let mut mount = std::process::Command::new("mount")
        .args(mount)
        .arg(&root)
        .output();
    // Only root may mount.
    if !mount.as_mut().is_ok_and(|mount| mount.status.success()) {
        return;
    }
    let _mounted = Mounted(root.clone());
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join(".git/config"), "kept\n").unwrap();

    let script =
        "echo evil > .git/config; mkdir .git/hooks; echo evil > .git/hooks/x; cat /dev/zero > fill";
    let output = run(&confined(&scratch), script).await.unwrap();

    assert!(output.stderr.contains("No space left"), "{output:?}");
    assert_eq!(scratch.read("root/.git/config"), "kept\n");
    assert!(!scratch.has("root/.git/hooks"));
}

#[tokio::test]
async fn git_commands_cause_no_warning() {
    let scratch = repository();
    let script = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git log --oneline | wc -l && git status --short";

    let output = run(&confined(&scratch), script).await.unwrap();
    let report = report(&confined(&scratch), "git add a.txt").await;

    assert_eq!(output.stdout, "1\n?? a.txt\n", "{output:?}");
    assert_eq!(report.warnings, Vec::<String>::new());
    assert!(!report.metadata.contains_key("protected_restored"));
}

#[tokio::test]
async fn overlapping_calls_share_snapshot() {
    let scratch = repository();
    let tool = confined(&scratch);

    let first = run(
        &tool,
        "echo evil > .git/config; touch began; while [ ! -e ended ]; do sleep 0.01; done",
    );
    let second = async {
        while !scratch.has("root/began") {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        // Starts after the first call made its change, and finishes after it.
        run(&tool, "touch ended; sleep 0.3").await
    };
    let (first, second) = tokio::join!(first, second);

    assert_eq!(
        (first.unwrap().exit_code, second.unwrap().exit_code),
        (Some(0), Some(0))
    );
    assert_eq!(scratch.read("root/.git/config"), "[core]\n\tbare = false\n");
}

#[tokio::test]
async fn rejects_protected_names_over_limit() {
    let scratch = repository().file("root/.git/hooks/huge", vec![b'x'; 17 * 1024 * 1024]);

    let error = run(&confined(&scratch), "touch ran").await.unwrap_err();

    assert_eq!(error.code().as_str(), "sandbox_unavailable");
    assert!(error.message().contains("`.git/hooks`"), "{error}");
    assert!(!scratch.has("root/ran"));
}

#[tokio::test]
async fn strict_rejects_writing_protected_names() {
    let scratch = repository();
    let before = protected(&scratch);
    let tool = tool(&scratch).with_sandbox(Sandbox::standard().strict());

    for script in [
        "echo evil > .git/config",
        "rm .git/config",
        "git config core.pager evil",
        "touch .git/hooks/pre-commit",
        "echo evil >> .git/hooks/pre-commit.sample",
        "mv .git .old",
        "touch .git/commondir",
        "touch .toolwright",
        "touch new.txt",
        "rm a.txt",
        "echo evil > ../outside/b.txt",
    ] {
        let output = run(&tool, script).await.unwrap();
        assert_ne!(output.exit_code, Some(0), "{script}");
    }
    assert_eq!(protected(&scratch), before);
    assert_eq!(
        report(&tool, "true").await.metadata["sandbox"]["protected"],
        "enforced"
    );
}

#[tokio::test]
async fn strict_allows_writing_existing_entries() {
    let scratch = repository().folder("root/src");
    let tool = tool(&scratch).with_sandbox(Sandbox::standard().strict());

    let script = "set -e; echo two >> a.txt; mkdir -p src/deep; echo new > src/deep/b.txt; mv src/deep/b.txt src/c.txt; echo x > $TMPDIR/t; touch .git/objects/new";
    let output = run(&tool, script).await.unwrap();

    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert_eq!(scratch.read("root/a.txt"), "one\ntwo\n");
    assert_eq!(scratch.read("root/src/c.txt"), "new\n");
}

#[tokio::test]
async fn restores_names_protected_by_host() {
    let scratch = fixture().file("root/policy.json", "kept\n");
    let workspace = || {
        let root = scratch.path().join("root");
        Workspace::builder()
            .root(root)
            .protect("policy.json")
            .build()
            .unwrap()
    };
    let standard = Bash::new(workspace())
        .without_filter()
        .with_sandbox(Sandbox::standard());
    let strict = Bash::new(workspace())
        .without_filter()
        .with_sandbox(Sandbox::standard().strict());

    let changed = run(&standard, "echo evil > policy.json").await.unwrap();
    let refused = run(&strict, "echo evil > policy.json").await.unwrap();

    assert_eq!((changed.exit_code, refused.exit_code), (Some(0), Some(1)));
    assert_eq!(scratch.read("root/policy.json"), "kept\n");
}

#[tokio::test]
async fn restores_hooks_in_the_directory_that_settings_name() {
    let scratch = repository()
        .file("root/.git/config", "[core]\n\thooksPath = tools/hooks\n")
        .file("root/tools/hooks/pre-commit", "kept\n");
    let script = "cd tools; echo evil > hooks/pre-commit; echo evil > hooks/post-checkout; mkdir -p ../hooks; echo x > ../hooks/x";

    let report = report(&confined(&scratch), script).await;

    assert_eq!(
        report.metadata["protected_restored"],
        json!(["tools/hooks"])
    );
    assert_eq!(scratch.read("root/tools/hooks/pre-commit"), "kept\n");
    assert!(!scratch.has("root/tools/hooks/post-checkout") && scratch.has("root/hooks/x"));
}

#[tokio::test]
async fn commands_cannot_turn_root_into_bare_repository() {
    let scratch = fixture();
    let script = "mkdir objects refs && echo 'ref: refs/heads/x' > HEAD && echo kept > config";

    let report = report(&confined(&scratch), script).await;

    assert_eq!(report.metadata["protected_restored"], json!(["HEAD"]));
    assert!(!scratch.has("root/HEAD"));
    assert_eq!(scratch.read("root/config"), "kept\n");
}

#[tokio::test]
async fn existing_bare_repository_stays_usable() {
    let scratch = fixture()
        .file("root/HEAD", "ref: refs/heads/main\n")
        .folder("root/objects")
        .folder("root/refs");

    let report = report(&confined(&scratch), "echo x > refs/x; echo y > HEAD").await;

    assert_eq!(report.metadata.get("protected_restored"), None);
    assert_eq!(scratch.read("root/HEAD"), "y\n");
}

#[tokio::test]
async fn restores_names_changed_through_other_paths() {
    for (script, name) in [
        (
            "mkdir h && cp .git/config h && echo x >> h/config && cp -r h/. .git/",
            ".git/config",
        ),
        (
            "mkdir -p h/hooks && echo x > h/hooks/pre-commit && cp -r h/hooks .git/",
            ".git/hooks",
        ),
        (
            "mkdir h && echo x > h/post-merge && mv .git/hooks old && mv h .git/hooks",
            ".git/hooks",
        ),
        ("ln -s .git/hooks h && echo x > h/pre-commit", ".git/hooks"),
    ] {
        assert_restored(script, &[name]).await;
    }
    assert_restored("rm -rf .gi*", &[".git/hooks", ".git/config"]).await;
}

#[tokio::test]
async fn granted_protected_name_keeps_change() {
    let scratch = repository();
    let path = scratch.path().join("root/.git/config");
    let script = "git config core.pager less; echo x > .git/hooks/pre-commit";
    let input = json!({
        "command": script,
        "needs": [format!("write:{}", path.display())],
    });

    let input = serde_json::from_value(input).unwrap();
    let cx = ToolContext::test();
    confined(&scratch).run(&cx, input).await.unwrap();

    assert!(scratch.read("root/.git/config").contains("pager = less"));
    assert!(!scratch.has("root/.git/hooks/pre-commit"));
}
