//! Repositories below the root, which the user's Git enters.

use std::path::Path;

use super::super::content::Content;
use super::super::repositories::Searches;
use super::super::script::Script;
use super::super::snapshot::Snapshot;
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

/// Attacks on existing repositories, with the name that is restored.
const CHANGES: [(&str, &str); 10] = [
    (
        "git -C nested config core.fsmonitor ./evil",
        "nested/.git/config",
    ),
    (
        "git -C sub config core.fsmonitor ./evil",
        ".git/modules/sub/config",
    ),
    (
        "echo evil > nested/.git/hooks/pre-commit",
        "nested/.git/hooks",
    ),
    ("rm nested/.git/hooks/post-merge", "nested/.git/hooks"),
    (
        "echo evil > .git/modules/sub/hooks/pre-commit",
        ".git/modules/sub/hooks",
    ),
    (
        "echo ../../nested/.git > .git/worktrees/tree/commondir",
        ".git/worktrees/tree/commondir",
    ),
    ("echo /srv > nested/.git/commondir", "nested/.git/commondir"),
    (
        "echo '[core] fsmonitor = ./evil' > .git/worktrees/tree/config.worktree",
        ".git/worktrees/tree/config.worktree",
    ),
    (
        "mkdir d && cp -r nested/.git d/git && echo 'gitdir: ../d/git' > sub/.git",
        "sub/.git",
    ),
    ("rm sub/.git && ln -s ../nested/.git sub/.git", "sub/.git"),
];

/// New repositories and pointers, with the name that is removed.
const ADDITIONS: [(&str, &str); 6] = [
    (
        "git init -q packages/x && git -C packages/x config core.fsmonitor ./evil",
        "packages/x/.git/config",
    ),
    (
        "git init -q x && echo evil > x/.git/hooks/pre-commit && mv x nested/deeper",
        "nested/deeper/.git/hooks/pre-commit",
    ),
    (
        "cp -r .git/modules/sub .git/modules/other && printf '[core]\\nfsmonitor = evil\\n' >> .git/modules/other/config",
        ".git/modules/other/config",
    ),
    ("mkdir y && echo 'gitdir: /srv/evil' > y/.git", "y/.git"),
    (
        "mkdir y && cp -r nested/.git evil && ln -s .. up && echo 'gitdir: ../up/root/../root/nested/.git' > y/.git",
        "y/.git",
    ),
    ("mkdir y && ln -s ../nested/.git y/.git", "y/.git"),
];

/// Prints what the attacks change.
const LISTING: &str = "cat */.git/config */.git/hooks/p* .git/modules/*/config .git/modules/*/hooks/p* \
    .git/worktrees/*/commondir sub/.git tree/.git; ls .git/worktrees/*";

#[tokio::test]
async fn existing_repositories_keep_settings_and_hooks() {
    for (script, name) in CHANGES {
        let scratch = repositories();
        let before = prepare(&scratch, LISTING);

        let report = report(&confined(&scratch), script).await;

        assert_eq!(prepare(&scratch, LISTING), before, "{script}");
        let restored = &report.metadata["protected_restored"];
        assert_eq!(*restored, json!([name]), "{script}");
    }
}

#[tokio::test]
async fn new_repositories_lose_what_runs_programs() {
    for (script, name) in ADDITIONS {
        let scratch = repositories();

        let report = report(&confined(&scratch), script).await;

        let removed = &report.metadata["protected_removed"];
        assert_eq!(*removed, json!([name]), "{script}");
        let left = "grep -rl evil packages x nested y/.git .git/modules 2>/dev/null || true";
        assert_eq!(prepare(&scratch, left), "", "{script}");
    }
}

/// As if this process were killed during the command.
#[test]
fn script_restores_repositories_without_this_process() {
    let run_between = |scratch: &Scratch, command: &str| {
        let workspace = Workspace::open(scratch.path().join("root")).unwrap();
        let snapshot = Snapshot::take(&workspace, &Searches::default()).unwrap();
        prepare(scratch, command);
        let script = snapshot.script();
        let place = scratch.path().join("record");
        std::fs::create_dir(&place).unwrap();
        for (name, content) in &script.copies {
            std::fs::write(place.join(name), content).unwrap();
        }
        std::fs::write(place.join("restore.sh"), script.text()).unwrap();
        prepare(scratch, &format!("sh {}/restore.sh", place.display()));
        assert!(!place.exists(), "{command}: the script failed");
    };
    let others = [
        "git config core.fsmonitor evil; echo evil > .git/hooks/pre-commit; chmod 500 .git/hooks .git",
        "rm .git/config; mkfifo .git/config; rm nested/.git/config; mkdir nested/.git/config",
        "chmod +x .git/hooks/*; echo evil > .git/commondir; echo evil > .envrc; mkdir .husky; echo evil > .husky/x",
        "mkdir .git/rebase-merge; printf 'pick x\\n x evil\\n' > .git/rebase-merge/git-rebase-todo",
    ];
    let scratch = repositories();
    let all = CHANGES.map(|(script, _)| script).join("\n");
    for script in others.into_iter().chain([all.as_str()]) {
        let listing = format!("{LISTING}; cat .git/config; stat -c '%a %n' .git/hooks/*");
        let before = prepare(&scratch, &listing);

        run_between(&scratch, script);

        assert_eq!(prepare(&scratch, &listing), before, "{script}");
        let left = "grep -rl evil .git nested/.git .envrc .husky 2>/dev/null || true";
        assert_eq!(prepare(&scratch, left), "", "{script}");
    }
    for (script, name) in ADDITIONS {
        run_between(&scratch, script);

        assert!(!scratch.has(&format!("root/{name}")), "{script}");
        let used = "git -C nested log && git -C sub status && git -C tree log";
        prepare(&scratch, &format!("{used} && rm -rf y up evil"));
    }
}

/// A repository below directories whose names a shell could read otherwise.
#[test]
fn script_quotes_names() {
    let text = |name: &str| {
        let mut script = Script::default();
        script.restore(Path::new("/a b/$(touch x)"), c"it's", &Content::Missing);
        script.search(name.into());
        String::from_utf8(script.text()).unwrap()
    };

    let text = text("/root");

    assert!(
        text.contains("gone '/a b/$(touch x)' 'it'\\''s'\n"),
        "{text}"
    );
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

/// As root, every directory can be entered.
#[tokio::test]
async fn repositories_that_cannot_be_entered_are_left_alone() {
    let scratch = repositories();
    prepare(&scratch, "chmod 000 nested/.git");

    let report = report(&confined(&scratch), "echo evil >> .git/config").await;

    prepare(&scratch, "chmod 700 nested/.git; ! grep evil .git/config");
    assert_eq!(
        report.metadata["protected_restored"],
        json!([".git/config"])
    );
}

#[tokio::test]
async fn literal_git_keeps_harmless_settings_and_scripts_do_not() {
    for (command, setting, kept) in [
        ("git checkout -q -b f origin/main", "[branch ", true),
        ("git switch -q -c f origin/main", "[branch ", true),
        ("git branch -q -u origin/main", "[branch ", true),
        ("git remote add other ../other", "[remote \"other\"]", true),
        ("git config user.name b", "[user]", true),
        ("git config core.pager less", "pager", false),
        ("sh script.sh", "[branch ", false),
        (
            "git checkout -q -b f origin/main && sh evil.sh",
            "[branch ",
            false,
        ),
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
        assert_eq!(config.contains(setting), kept, "{command}: {config}");
        assert_eq!(report.warnings.is_empty(), kept, "{command}");
        assert!(!config.contains("evil"), "{command}");
    }
}

const TODO: &str = ".git/rebase-merge/git-rebase-todo";

#[tokio::test]
async fn commands_add_no_programs_to_an_unfinished_rebase() {
    let scratch = repositories();
    let repositories = ["", "nested/"];
    prepare(&scratch, "mkdir .git/rebase-merge nested/.git/rebase-merge");
    for (todo, script, left) in [
        ("pick a\n", "echo x evil", "pick a\n"),
        ("pick a\n", "printf ' exec\\tevil\\n'", "pick a\n"),
        (
            "pick a\nexec make\n",
            "echo exec evil",
            "pick a\nexec make\n",
        ),
        (
            "pick a\nexec make\n",
            "echo exec make; echo pick b",
            "pick a\nexec make\nexec make\npick b\n",
        ),
        (
            "pick a\n",
            "echo pick x; echo execute",
            "pick a\npick x\nexecute\n",
        ),
    ] {
        let paths = repositories.map(|repository| format!("root/{repository}{TODO}"));
        for path in &paths {
            std::fs::write(scratch.path().join(path), todo).unwrap();
        }

        let script = format!("({script}) | tee -a {TODO} >> nested/{TODO}");
        report(&confined(&scratch), &script).await;

        for path in &paths {
            assert_eq!(scratch.read(path), left, "{script}");
        }
    }
}

#[tokio::test]
async fn commands_start_no_rebase_that_runs_programs() {
    let scratch = repositories();
    for script in [
        "mkdir .git/rebase-merge && echo x evil > .git/rebase-merge/git-rebase-todo",
        "mkdir d && echo x evil > d/git-rebase-todo && mv d .git/rebase-merge",
        "mkdir d && echo x evil > d/git-rebase-todo && ln -s ../d .git/rebase-merge",
        "mkdir .git/rebase-merge && echo x evil > t && ln -s ../../t .git/rebase-merge/git-rebase-todo",
        "mkdir .git/worktrees/tree/rebase-merge && echo x evil > .git/worktrees/tree/rebase-merge/git-rebase-todo",
        "git init -q new && mkdir new/.git/rebase-merge && echo x evil > new/.git/rebase-merge/git-rebase-todo",
        "mkdir .git/rebase-merge && mkfifo .git/rebase-merge/git-rebase-todo",
        "mkdir .git/rebase-merge && echo x evil > .git/rebase-merge/git-rebase-todo && chmod -R 500 .git/rebase-merge",
    ] {
        let report = report(&confined(&scratch), script).await;

        let restored = report.metadata["protected_restored"].to_string();
        assert!(
            restored.contains("rebase-merge/git-rebase-todo"),
            "{script}"
        );
        let left = "find . -path '*/rebase-merge/*' -exec cat {} + | grep evil || true";
        assert_eq!(prepare(&scratch, left), "", "{script}");
        prepare(
            &scratch,
            "chmod -R u+w .git; rm -rf .git/rebase-merge .git/worktrees/tree/rebase-merge d new t",
        );
    }
}

/// What a person does with Git in a workspace works in the sandbox too, and leaves nothing behind.
#[tokio::test]
async fn git_keeps_working() {
    let identity = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b";
    for (script, used) in [
        ("git checkout -q -b g", "git branch --show-current | grep g"),
        (
            "git rebase -q --onto main~1 main other",
            "git log --format=%s | grep other && ! ls .git/rebase-merge",
        ),
        (
            "git rebase -q -i --exec true main~1",
            "! ls .git/rebase-merge",
        ),
        (
            "git rebase -q main conflict; git status | grep rebasing",
            "git rebase --abort",
        ),
        (
            "git rebase -q main conflict; echo 3 > f; git add f; git rebase --continue",
            "! ls .git/rebase-merge",
        ),
        (
            "git cherry-pick conflict; git cherry-pick --abort",
            "! ls .git/sequencer",
        ),
        (
            "echo 2 > f; git stash -q; git stash pop -q",
            "git diff --stat | grep f",
        ),
        ("git worktree add -q w2 other", "git -C w2 status"),
        (
            "git bisect start main main~1; git bisect reset",
            "! ls .git/BISECT_START",
        ),
        ("true", "git status --porcelain | wc -l | grep 0"),
    ] {
        let scratch = fixture();
        prepare(
            &scratch,
            &format!(
                "{identity}; rm a.txt; git init -q -b main . && git {COMMIT} && echo 1 > f && git add f && git {COMMIT} \
                 && git checkout -q -b conflict HEAD~1 && echo 9 > f && git add f && git {COMMIT} \
                 && git checkout -q -b other main~1 && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m other \
                 && git checkout -q main"
            ),
        );

        let report = report(&confined(&scratch), &format!("{identity}; {script}")).await;

        assert_eq!(report.warnings, [""; 0], "{script}");
        prepare(&scratch, used);
    }
}
