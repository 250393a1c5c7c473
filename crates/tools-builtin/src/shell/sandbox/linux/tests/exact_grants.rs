//! Approval gives what its prompt says, and nothing else.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{Registry, ToolResult};

use super::*;
use crate::shell::Environment;
use crate::{Kit, toolsets};

/// Creates a workspace next to a home directory with a secret.
fn home() -> Scratch {
    Scratch::new()
        .file("root/note.txt", "note\n")
        .file("home/kept.txt", "kept\n")
        .file("home/secret.txt", "classified\n")
        .folder("home/bin")
}

/// Calls `bash` in the default sandbox with `home` as the home directory. Returns the result and the
/// prompts, each of which gets `answer`.
async fn call(scratch: &Scratch, arguments: Value, answer: Answer) -> (ToolResult, Vec<String>) {
    call_in(Sandbox::workspace(), scratch, arguments, answer).await
}

async fn call_in(
    sandbox: Sandbox,
    scratch: &Scratch,
    arguments: Value,
    answer: Answer,
) -> (ToolResult, Vec<String>) {
    let prompts: Arc<Mutex<Vec<String>>> = Arc::default();
    let shown = Arc::clone(&prompts);
    let kit = Kit::new(Workspace::open(scratch.path().join("root")).unwrap());
    let home = Environment::of_host().with("HOME", scratch.path().join("home"));
    let kit = kit.with_environment(home).with_sandbox(sandbox);
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(move |request| {
            shown.lock().unwrap().push(request.to_string());
            answer.clone()
        }))
        .toolset(&toolsets::standard(&kit).unwrap())
        .unwrap()
        .build();
    let result = registry.execute("bash", arguments).await;
    let prompts = prompts.lock().unwrap().clone();
    (result, prompts)
}

async fn approve(scratch: &Scratch, arguments: Value) -> (ToolResult, Vec<String>) {
    call(scratch, arguments, Answer::Approve).await
}

async fn approve_command(scratch: &Scratch, command: &str) -> (ToolResult, Vec<String>) {
    approve(scratch, json!({"command": command})).await
}

/// Asserts that the only prompt begins with exactly these grants.
fn assert_gives(prompts: &[String], grants: &str) {
    let lines: Vec<&str> = prompts
        .iter()
        .filter_map(|text| text.lines().next())
        .collect();
    assert_eq!(lines, [format!("Approval gives: {grants}")], "{prompts:?}");
}

#[tokio::test]
async fn every_grant_is_shown_whatever_the_number_of_reasons() {
    let command = "npm install; curl https://a.example; git push; cargo add serde; pip install x; \
        wget https://b.example; echo x > ~/new.txt; docker ps";

    let denied = Answer::Deny { reason: None };
    let (_, prompts) = call(&home(), json!({"command": command}), denied).await;

    assert_gives(&prompts, "network; services; write:~/new.txt");
    assert!(prompts[0].contains(" more\n"), "{prompts:?}");
}

#[tokio::test]
async fn requested_grants_are_shown_and_raise_the_risk() {
    for (needs, grants) in [
        (json!(["unconfined"]), "unconfined"),
        (json!(["network"]), "network"),
        (json!(["write:~/kept.txt"]), "write:~/kept.txt"),
        (json!(["write:~/bin", "network"]), "network; write:~/bin/"),
    ] {
        let arguments = json!({"command": "ls", "needs": needs});

        let (result, prompts) = approve(&home(), arguments).await;

        assert!(result.success, "{result}");
        assert_gives(&prompts, grants);
        assert!(
            prompts[0].contains("\nRisk level: dangerous\n"),
            "{prompts:?}"
        );
    }
}

#[tokio::test]
async fn write_in_place_gives_the_file_alone() {
    for (command, path) in [
        ("echo note > ~/new.txt", "new.txt"),
        ("cat note.txt >> ~/new.txt", "new.txt"),
        ("cp note.txt ~/new.txt", "new.txt"),
        ("cat note.txt | tee ~/new.txt", "new.txt"),
        ("cp -f note.txt ~/kept.txt", "kept.txt"),
        ("echo note > ~/kept.txt", "kept.txt"),
    ] {
        let scratch = home();
        let script = "cat ~/secret.txt; echo x > ~/other.txt; echo x > ~/secret.txt; mkdir ~/made";
        let scratch = scratch.file("root/helper.sh", script);

        let (result, prompts) =
            approve_command(&scratch, &format!("{command} && sh helper.sh")).await;

        assert!(!result.text().contains("classified"), "{command}: {result}");
        assert_eq!(scratch.read("home/secret.txt"), "classified\n", "{command}");
        assert!(
            !scratch.has("home/other.txt") && !scratch.has("home/made"),
            "{command}"
        );
        assert_eq!(
            scratch.read(&format!("home/{path}")),
            "note\n",
            "{command}: {result}"
        );
        assert_gives(&prompts, &format!("write:~/{path}"));
    }
}

#[tokio::test]
async fn granted_file_can_be_read_and_its_neighbour_not() {
    let scratch = home().file("root/helper.sh", "cat ~/kept.txt; cat ~/secret.txt");
    let arguments = json!({"command": "sh helper.sh", "needs": ["write:~/kept.txt"]});

    let (result, prompts) = approve(&scratch, arguments).await;

    assert!(result.text().contains("kept\n"), "{result}");
    assert!(!result.text().contains("classified"), "{result}");
    assert_gives(&prompts, "write:~/kept.txt");
}

#[tokio::test]
async fn append_keeps_the_content_of_the_granted_file() {
    let scratch = home();

    let (_, prompts) = approve_command(&scratch, "cat note.txt >> ~/kept.txt").await;

    assert_gives(&prompts, "write:~/kept.txt");
    assert_eq!(scratch.read("home/kept.txt"), "kept\nnote\n");
}

#[tokio::test]
async fn touched_file_stays_and_unused_file_is_removed() {
    for (command, stays) in [
        ("touch ~/new.txt", true),
        ("> ~/new.txt", true),
        ("cp missing.txt ~/new.txt", false),
        ("false && echo x > ~/new.txt", false),
        (
            "cat missing.txt | tail -n 1 | grep x && tee ~/new.txt",
            false,
        ),
    ] {
        let scratch = home();

        let (result, prompts) = approve_command(&scratch, command).await;

        assert_eq!(scratch.has("home/new.txt"), stays, "{command}: {result}");
        assert_gives(&prompts, "write:~/new.txt");
    }
}

#[tokio::test]
async fn empty_file_that_existed_before_is_kept() {
    let scratch = home().file("home/empty.txt", "");

    approve_command(&scratch, "false && echo x > ~/empty.txt").await;

    assert!(scratch.has("home/empty.txt"));
}

#[tokio::test]
async fn creating_or_replacing_names_the_parent() {
    for (command, grant, made) in [
        ("mkdir ~/made", "~/", "home/made"),
        (
            "mkdir -p ~/made/deeper/still",
            "~/",
            "home/made/deeper/still",
        ),
        ("ln -s note.txt ~/made", "~/", "home/made"),
        ("mv note.txt ~/made", "~/", "home/made"),
        ("mv note.txt ~/bin/", "~/bin/", "home/bin/note.txt"),
        ("cp -r . ~/made", "~/", "home/made/note.txt"),
        ("install note.txt ~/made", "~/", "home/made"),
        ("rm ~/kept.txt && touch made", "~/", "root/made"),
    ] {
        let script =
            "cat ~/secret.txt; mv ~/secret.txt . && cat secret.txt; ln ~/secret.txt s && cat s";
        let scratch = home().file("root/helper.sh", script);

        let (result, prompts) =
            approve_command(&scratch, &format!("{command} && sh helper.sh")).await;

        assert!(!result.text().contains("classified"), "{command}: {result}");
        let made = scratch.path().join(made);
        assert!(made.symlink_metadata().is_ok(), "{command}: {result}");
        assert_gives(&prompts, &format!("write:{grant}"));
    }
}

#[tokio::test]
async fn edit_by_replacement_needs_a_readable_directory() {
    let command = "sed -i s/kept/edited/ ~/kept.txt; cat ~/secret.txt";
    for (sandbox, content) in [
        (Sandbox::workspace(), "kept\n"),
        (Sandbox::standard(), "edited\n"),
    ] {
        let scratch = home();

        let denied_reads = sandbox == Sandbox::workspace();
        let (result, prompts) = call_in(
            sandbox,
            &scratch,
            json!({"command": command}),
            Answer::Approve,
        )
        .await;

        assert_gives(&prompts, "write:~/");
        assert_eq!(scratch.read("home/kept.txt"), content, "{result}");
        assert_ne!(
            result.text().contains("classified"),
            denied_reads,
            "{result}"
        );
        let warning = "Write access to a directory does not include reading it";
        assert_eq!(
            result.to_string().contains(warning),
            denied_reads,
            "{result}"
        );
    }
}

#[tokio::test]
async fn symlink_in_granted_path_runs_nothing() {
    for command in [
        "touch ran; echo x > ~/link",
        "touch ran; echo x > ~/dangling",
        "touch ran; echo x > ~/up/new.txt",
        "touch ran; mkdir ~/up/made",
    ] {
        let scratch = home()
            .link("home/link", "secret.txt")
            .link("home/dangling", "nowhere.txt")
            .link("home/up", "bin");

        let (result, _) = approve_command(&scratch, command).await;

        assert!(!result.success, "{command}: {result}");
        assert!(!scratch.has("root/ran"), "{command}");
        assert_eq!(scratch.read("home/secret.txt"), "classified\n", "{command}");
        assert!(!scratch.has("home/nowhere.txt") && !scratch.has("home/bin/made"));
        let error = result.error.unwrap();
        assert_eq!(error.parameter.as_deref(), Some("command"), "{command}");
    }
}

#[tokio::test]
async fn working_directory_that_is_a_link_gives_nothing_unasked() {
    // By its text, the path is in the workspace; behind the link it is not.
    let scratch = home().folder("root/a").link("root/a/here", "..");
    let arguments = json!({"command": "echo x > ../stolen.txt", "cwd": "a/here"});

    let (result, prompts) = approve(&scratch, arguments).await;

    assert!(prompts.is_empty(), "{prompts:?}");
    assert!(!scratch.has("stolen.txt"), "{result}");
}

#[tokio::test]
async fn grant_beside_the_workspace_keeps_new_repository_harmless() {
    let command = "mkdir ../beside; git init -q . && echo x > .git/hooks/pre-commit";
    let scratch = home();

    let (result, _) = approve_command(&scratch, command).await;

    assert!(scratch.has("beside"), "{result}");
    assert!(!scratch.has("root/.git/hooks/pre-commit"), "{result}");
}
