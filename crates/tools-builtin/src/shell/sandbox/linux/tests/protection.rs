//! Names that nobody may change.

use std::fs;

use super::*;

/// A repository with a hook, as git leaves it.
fn repository() -> Scratch {
    place()
        .file("root/.git/HEAD", "ref: refs/heads/main\n")
        .file("root/.git/config", "[core]\n\tbare = false\n")
        .file("root/.git/hooks/pre-commit.sample", "#!/bin/sh\n")
        .folder("root/.git/objects")
        .folder("root/.git/refs")
}

/// Everything protected that is there, with its content, one line each.
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

/// Runs `script`, which changes what is protected, and looks whether it was put back.
async fn put_back(script: &str, names: &[&str]) {
    let scratch = repository();
    let before = protected(&scratch);
    let changed = run(&engine(&scratch), script).await.unwrap();
    assert_eq!(changed.exit_code, Some(0), "{script}: {changed:?}");
    assert_ne!(protected(&scratch), before, "{script} changes nothing");

    let scratch = repository();
    let cx = ToolContext::test();
    let output = run_in(&confined(&scratch), &cx, script).await.unwrap();
    let mut said = ToolOutput::default();
    cx.say_in(&mut said);

    assert_eq!(output.exit_code, Some(0), "{script}: {output:?}");
    assert_eq!(protected(&scratch), before, "{script}");
    assert_eq!(
        said.metadata["protected_restored"],
        json!(names),
        "{script}"
    );
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    assert_eq!(
        said.warnings,
        [format!(
            "The command changed what is protected; it was put back as it was: {}.",
            quoted.join(", ")
        )]
    );
}

#[tokio::test]
async fn a_changed_configuration_is_put_back() {
    put_back("git config core.pager evil", &[".git/config"]).await;
    put_back("echo evil > .git/config", &[".git/config"]).await;
    put_back("chmod 600 .git/config", &[".git/config"]).await;
    put_back("chmod 700 .git/hooks", &[".git/hooks"]).await;
    put_back("rm .git/config", &[".git/config"]).await;
    put_back(
        "rm .git/config; mkdir -p .git/config/deep",
        &[".git/config"],
    )
    .await;
}

#[tokio::test]
async fn a_new_hook_is_removed() {
    let script = "echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    put_back(script, &[".git/hooks"]).await;
    put_back(
        "mkdir -p .git/hooks/a/b; touch .git/hooks/a/b/c",
        &[".git/hooks"],
    )
    .await;
}

#[tokio::test]
async fn a_changed_hook_is_put_back() {
    put_back("echo evil >> .git/hooks/pre-commit.sample", &[".git/hooks"]).await;
    put_back("chmod +x .git/hooks/pre-commit.sample", &[".git/hooks"]).await;
    put_back("mv .git/hooks .git/kept", &[".git/hooks"]).await;
    put_back(
        "rm -r .git/hooks; ln -s ../evil .git/hooks",
        &[".git/hooks"],
    )
    .await;
}

#[tokio::test]
async fn a_protected_name_that_was_not_there_is_removed() {
    put_back("echo ../evil > .git/commondir", &[".git/commondir"]).await;
    put_back("touch .toolwright", &[".toolwright"]).await;
}

#[tokio::test]
async fn a_folder_that_was_replaced_by_a_link_is_a_folder_again() {
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
async fn a_configuration_is_put_back_and_its_other_name_keeps_what_was_written() {
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
async fn a_repository_that_was_not_there_gets_no_configuration_and_no_hooks() {
    let scratch = place();

    let output = run(
        &confined(&scratch),
        "git init -q . && git config core.pager evil",
    )
    .await
    .unwrap();

    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert!(scratch.has("root/.git/HEAD"));
    assert!(!scratch.has("root/.git/config") && !scratch.has("root/.git/hooks"));
}

#[tokio::test]
async fn a_file_in_the_place_of_a_repository_is_kept_and_none_is_made() {
    let scratch = place();
    run(&confined(&scratch), "echo 'gitdir: evil' > .git")
        .await
        .unwrap();
    assert!(!scratch.has("root/.git"));

    let scratch = place().file("root/.git", "gitdir: ../main\n");
    run(&confined(&scratch), "echo 'gitdir: evil' > .git")
        .await
        .unwrap();
    assert_eq!(scratch.read("root/.git"), "gitdir: ../main\n");

    let scratch = place().link("root/.git", "../main");
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
async fn what_cannot_be_put_back_is_told() {
    let scratch = repository();
    let pipe = scratch.path().join("root/.git/hooks/pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let cx = ToolContext::test();

    let kept = run(&confined(&scratch), "test -p .git/hooks/pipe").await;
    let lost = run_in(&confined(&scratch), &cx, "rm .git/hooks/pipe").await;

    let mut said = ToolOutput::default();
    cx.say_in(&mut said);
    assert_eq!(kept.unwrap().exit_code, Some(0));
    assert_eq!(lost.unwrap().exit_code, Some(0));
    assert_eq!(
        said.warnings,
        ["The command changed what is protected, and it could not be put back: `.git/hooks`."]
    );
    assert_eq!(said.metadata["protected_lost"], json!([".git/hooks"]));
}

#[tokio::test]
async fn work_with_a_repository_is_done_and_nothing_is_said() {
    let scratch = repository();
    let script = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git log --oneline | wc -l && git status --short";

    let output = run(&confined(&scratch), script).await.unwrap();
    let said = said(&confined(&scratch), "git add a.txt").await;

    assert_eq!(output.stdout, "1\n?? a.txt\n", "{output:?}");
    assert_eq!(said.warnings, Vec::<String>::new());
    assert!(!said.metadata.contains_key("protected_restored"));
}

#[tokio::test]
async fn a_call_that_starts_while_another_runs_does_not_keep_its_changes() {
    let scratch = repository();
    let engine = confined(&scratch);

    let first = run(
        &engine,
        "echo evil > .git/config; touch began; while [ ! -e ended ]; do sleep 0.01; done",
    );
    let second = async {
        while !scratch.has("root/began") {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        // It began when the first had made its change, and ends after it.
        run(&engine, "touch ended; sleep 0.3").await
    };
    let (first, second) = tokio::join!(first, second);

    assert_eq!(
        (first.unwrap().exit_code, second.unwrap().exit_code),
        (Some(0), Some(0))
    );
    assert_eq!(scratch.read("root/.git/config"), "[core]\n\tbare = false\n");
}

#[tokio::test]
async fn what_is_too_much_to_be_put_back_is_an_error_before_anything_runs() {
    let scratch = repository().file("root/.git/hooks/huge", vec![b'x'; 5 * 1024 * 1024]);

    let error = run(&confined(&scratch), "touch ran").await.unwrap_err();

    assert_eq!(error.code().as_str(), "sandbox_unavailable");
    assert!(error.message().contains("`.git/hooks`"), "{error}");
    assert!(!scratch.has("root/ran"));
}

#[tokio::test]
async fn strict_refuses_what_the_standard_puts_back() {
    let scratch = repository();
    let before = protected(&scratch);
    let engine = engine(&scratch).with_sandbox(Sandbox::standard().strict());

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
        let output = run(&engine, script).await.unwrap();
        assert_ne!(output.exit_code, Some(0), "{script}");
    }
    assert_eq!(protected(&scratch), before);
    assert_eq!(
        said(&engine, "true").await.metadata["sandbox"]["protected"],
        "enforced"
    );
}

#[tokio::test]
async fn strict_lets_write_what_is_there() {
    let scratch = repository().folder("root/src");
    let engine = engine(&scratch).with_sandbox(Sandbox::standard().strict());

    let script = "set -e; echo two >> a.txt; mkdir -p src/deep; echo new > src/deep/b.txt; mv src/deep/b.txt src/c.txt; echo x > $TMPDIR/t; touch .git/objects/new";
    let output = run(&engine, script).await.unwrap();

    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert_eq!(scratch.read("root/a.txt"), "one\ntwo\n");
    assert_eq!(scratch.read("root/src/c.txt"), "new\n");
}

#[tokio::test]
async fn the_hosts_own_names_are_protected_too() {
    let scratch = place().file("root/policy.json", "kept\n");
    let workspace = || {
        let root = scratch.path().join("root");
        Workspace::builder()
            .root(root)
            .protect("policy.json")
            .build()
            .unwrap()
    };
    let standard = RunCommand::new(workspace())
        .without_filter()
        .with_sandbox(Sandbox::standard());
    let strict = RunCommand::new(workspace())
        .without_filter()
        .with_sandbox(Sandbox::standard().strict());

    let changed = run(&standard, "echo evil > policy.json").await.unwrap();
    let refused = run(&strict, "echo evil > policy.json").await.unwrap();

    assert_eq!((changed.exit_code, refused.exit_code), (Some(0), Some(1)));
    assert_eq!(scratch.read("root/policy.json"), "kept\n");
}
