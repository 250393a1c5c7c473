//! Default sandbox of a kit: limited reads, toolchains and shared memory.

use std::env;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tool_core::Registry;
use tool_core::approval::{Answer, Policy, approver_fn};

use super::*;
use crate::{Kit, toolsets};

fn workspace_confined(scratch: &Scratch) -> Bash {
    tool(scratch).with_sandbox(Sandbox::workspace())
}

/// Runs `script` in the workspace sandbox and returns its standard output, if it succeeds.
async fn output_of(scratch: &Scratch, script: &str) -> Result<String, String> {
    let output = run(&workspace_confined(scratch), script).await.unwrap();
    match output.exit_code {
        Some(0) => Ok(output.stdout),
        _ => Err(output.stderr),
    }
}

fn registry(kit: &Kit) -> Registry {
    Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .toolset(&toolsets::standard(kit).unwrap())
        .unwrap()
        .build()
}

#[tokio::test]
async fn workspace_sandbox_rejects_reading_outside_files() {
    let scratch = fixture();

    let inside = output_of(
        &scratch,
        "cat a.txt; head -c 1 /etc/passwd; ls /usr > /dev/null",
    )
    .await;
    let outside = output_of(&scratch, "cat ../outside/b.txt")
        .await
        .unwrap_err();
    let home = output_of(&scratch, "ls ~").await.unwrap_err();

    assert!(inside.unwrap().starts_with("one\n"));
    assert!(outside.contains("Permission denied"), "{outside}");
    assert!(home.contains("Permission denied"), "{home}");
}

#[tokio::test]
async fn workspace_sandbox_rejects_reading_passwords() {
    let scratch = fixture();
    for file in ["/etc/shadow", "/etc/gshadow", "/etc/sudoers"] {
        let output = output_of(&scratch, &format!("[ -e {file} ] && cat {file}")).await;

        assert!(output.is_err(), "{file}");
    }
    let listed = output_of(&scratch, "ls /etc/ssl/certs > /dev/null; cat /etc/passwd").await;
    assert!(listed.unwrap().contains("root:"));
}

#[tokio::test]
async fn workspace_sandbox_supports_shared_memory() {
    let scratch = fixture();
    let name = format!("toolwright-test-{}", std::process::id());

    let script =
        format!("echo shared > /dev/shm/{name} && cat /dev/shm/{name} && rm /dev/shm/{name}");

    assert_eq!(output_of(&scratch, &script).await.unwrap(), "shared\n");
}

#[tokio::test]
async fn private_caches_are_kept_between_calls() {
    let scratch = fixture();
    let tool = workspace_confined(&scratch);

    let first = run(
        &tool,
        "mkdir -p $GOCACHE/a; chmod 0 $GOCACHE/a; echo $GOCACHE",
    )
    .await;
    let second = run(&tool, "ls -d $GOCACHE/a && ls $TMPDIR").await.unwrap();
    let first = first.unwrap();
    let cache = first.stdout.trim();

    assert_eq!(second.stdout, format!("{cache}/a\n"));
    let removed = Path::new(cache).parent().unwrap();
    std::fs::set_permissions(format!("{cache}/a"), Permissions::from_mode(0o700)).unwrap();
    std::fs::remove_dir_all(removed).unwrap();
    let third = run(&tool, "mkdir -p $GOCACHE && echo $GOCACHE")
        .await
        .unwrap();
    let cache = third.stdout.trim();

    assert!(std::fs::exists(cache).unwrap());
    drop(tool);
    assert!(!std::fs::exists(cache).unwrap());
}

#[tokio::test]
async fn host_sets_cache() {
    let scratch = fixture();
    let own = crate::shell::Environment::of_host().with("GOCACHE", "/own");

    let tool = workspace_confined(&scratch).with_environment(own);

    let chosen = run(&tool, "echo $GOCACHE").await.unwrap();
    assert_eq!(chosen.stdout, "/own\n");
}

#[tokio::test]
async fn kit_confines_commands_by_default() {
    let scratch = fixture();
    let kit = Kit::new(Workspace::open(scratch.path().join("root")).unwrap());
    assert!(kit.shell.bash.is_confined());

    let registry = registry(&kit);
    let script = json!({"command": "cat < ../outside/b.txt; echo in > new.txt"});
    let result = registry.execute("bash", script).await;

    assert_eq!(result.data.as_ref().unwrap()["stdout"], "", "{result}");
    assert_eq!(scratch.read("root/new.txt"), "in\n");
    assert_eq!(result.metadata.extra["sandbox"]["enforced"], true);
    let description = registry
        .get("bash")
        .unwrap()
        .definition()
        .description()
        .to_owned();
    assert!(description.contains("A sandbox allows"), "{description}");
}

#[tokio::test]
async fn unconfined_kit_reports_missing_sandbox() {
    let scratch = fixture();
    let kit = Kit::new(Workspace::open(scratch.path().join("root")).unwrap()).unconfined();

    let registry = registry(&kit);
    let result = registry
        .execute("bash", json!({"command": "cat ../outside/b.txt"}))
        .await;

    assert_eq!(result.text(), "two", "{result}");
    assert_eq!(result.metadata.extra["sandbox"], json!({"enforced": false}));
    let description = registry
        .get("bash")
        .unwrap()
        .definition()
        .description()
        .to_owned();
    assert!(
        description.contains("No sandbox is enforced."),
        "{description}"
    );
}

#[tokio::test]
async fn kit_without_enforceable_sandbox_is_unconfined() {
    let scratch = fixture().folder("root/manual");
    let workspace = Workspace::builder()
        .root(scratch.path().join("root"))
        .read_only_root(scratch.path().join("root/manual"))
        .build()
        .unwrap();

    assert!(!Kit::new(workspace).shell.bash.is_confined());
}

#[tokio::test]
async fn background_commands_are_confined_by_default() {
    let scratch = fixture();
    let kit = Kit::new(Workspace::open(scratch.path().join("root")).unwrap());

    let command = json!({"command": "cat < ../outside/b.txt", "background": true});
    let result = registry(&kit).execute("bash", command).await;
    let id = result.data.as_ref().unwrap()["background_id"]
        .as_str()
        .unwrap();
    kit.background_commands().stop(id).await;

    assert_eq!(result.metadata.extra["sandbox"]["enforced"], true);
}

#[tokio::test]
async fn toolchains_of_test_host_run_confined() {
    let scratch = fixture()
        .file(
            "root/Cargo.toml",
            "[package]\nname = \"x\"\nedition = \"2024\"\n",
        )
        .file(
            "root/src/lib.rs",
            "#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n",
        );
    if env::var_os("CARGO").is_none() {
        return;
    }

    let output = output_of(&scratch, "cargo test --offline").await.unwrap();

    assert!(output.contains("1 passed"), "{output}");
}
