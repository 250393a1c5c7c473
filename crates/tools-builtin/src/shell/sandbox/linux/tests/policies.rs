//! Sandbox configuration and reported restrictions.

use tool_core::ErrorCode;

use super::*;
use crate::shell::bash::Argv;
use crate::shell::sandbox::Confinement;
use crate::shell::sandbox::linux::state::Kernel;
use crate::shell::sandbox::linux::{State, loopback};
use crate::shell::{BashInput, SandboxUnavailable};

#[tokio::test]
async fn metadata_lists_enforced_restrictions() {
    let scratch = fixture();
    let abi = serde_json::to_value(7).unwrap();

    let report = report(&confined(&scratch), "true").await;

    let mut sandbox = report.metadata["sandbox"].clone();
    assert!(sandbox["landlock_abi"].as_i64().unwrap() >= 3);
    if sandbox["landlock_abi"] != abi {
        return;
    }
    sandbox["landlock_abi"] = abi;
    assert_eq!(
        sandbox,
        json!({
            "enforced": true,
            "landlock_abi": 7,
            "reads": "everything",
            "writes": "workspace",
            "private_tmp": true,
            "network": if loopback::is_available() { "private" } else { "refused" },
            "local_services": "refused",
            "signals": "refused",
            "devices": "refused",
            "attributes": "guarded",
            "protected": "restored",
            "new_privileges": "refused",
        })
    );
}

#[tokio::test]
async fn old_kernel_runs_nothing() {
    let scratch = fixture();
    for found in [0, 2] {
        let workspace = Workspace::open(scratch.path().join("root")).unwrap();
        let state = State::on(Kernel::with_landlock(found));
        let confinement = Confinement::with_state(workspace, Sandbox::standard(), state);

        let mut tool = tool(&scratch);
        tool.launcher.confinement = Some(confinement);
        let error = run(&tool, "touch ran").await.unwrap_err();

        assert_eq!(error.code(), &ErrorCode::from("sandbox_unavailable"));
        assert_eq!(
            error.message(),
            format!(
                "Nothing was run, because the sandbox for commands is unavailable: the kernel supports Landlock {found}; version 3 is required."
            )
        );
        assert!(!scratch.has("root/ran"));
    }
}

#[tokio::test]
async fn older_kernel_reports_missing_restrictions() {
    let scratch = fixture();
    let workspace = Workspace::open(scratch.path().join("root")).unwrap();
    let state = State::on(Kernel::with_landlock(3));
    let confinement = Confinement::with_state(workspace, Sandbox::standard(), state);
    let mut tool = tool(&scratch);
    tool.launcher.confinement = Some(confinement);

    let report = report(&tool, "true").await;
    let written = run(&tool, "echo evil > ../outside/b.txt").await.unwrap();
    let connected = run(&tool, "exec 3<>/dev/tcp/127.0.0.1/1").await.unwrap();

    let sandbox = &report.metadata["sandbox"];
    assert_eq!(sandbox["landlock_abi"], 3);
    assert_eq!(
        (&sandbox["signals"], &sandbox["devices"]),
        (&json!("open"), &json!("open"))
    );
    assert_ne!(written.exit_code, Some(0));
    assert!(connected.stderr.contains("not permitted"), "{connected:?}");
}

#[tokio::test]
async fn rejects_missing_configured_directory() {
    let scratch = fixture();
    for sandbox in [
        Sandbox::standard().write_below("/no/such/folder"),
        Sandbox::standard().read_only_below(["/no/such/folder"]),
    ] {
        let unavailable = sandbox.check().unwrap_err();
        let error = run(&tool(&scratch).with_sandbox(sandbox), "touch ran")
            .await
            .unwrap_err();

        assert!(matches!(unavailable, SandboxUnavailable::Directory(..)));
        assert_eq!(error.code().as_str(), "sandbox_unavailable");
        assert!(!error.to_string().contains("/no"), "{error}");
        assert!(!scratch.has("root/ran"));
    }
}

#[tokio::test]
async fn check_does_not_confine_host() {
    let scratch = fixture();

    Sandbox::standard().check().unwrap();

    std::fs::write(scratch.path().join("outside/b.txt"), "free").unwrap();
    std::net::TcpListener::bind("127.0.0.1:0").unwrap();
}

#[tokio::test]
async fn host_limits_readable_directories() {
    let scratch = fixture();
    let free = tool(&scratch).with_sandbox(Sandbox::standard());
    let listed = tool(&scratch).with_sandbox(Sandbox::standard().read_only_below::<&str>([]));
    let outside = scratch.path().join("outside");
    let more = tool(&scratch).with_sandbox(Sandbox::standard().read_only_below([outside]));

    let script =
        "cat a.txt /dev/null && sort a.txt > $TMPDIR/s && cat $TMPDIR/s && cat ../outside/b.txt";
    let outputs = [
        run(&free, script).await.unwrap(),
        run(&listed, script).await.unwrap(),
        run(&more, script).await.unwrap(),
    ];

    assert_eq!(
        outputs.map(|output| (output.stdout, output.exit_code)),
        [
            ("one\none\ntwo\n".to_owned(), Some(0)),
            ("one\none\n".to_owned(), Some(1)),
            ("one\none\ntwo\n".to_owned(), Some(0)),
        ]
    );
}

#[tokio::test]
async fn host_adds_writable_directories() {
    let scratch = fixture();
    let sandbox = Sandbox::standard().write_below(scratch.path().join("outside"));

    let output = run(
        &tool(&scratch).with_sandbox(sandbox),
        "echo new > ../outside/b.txt",
    )
    .await
    .unwrap();

    assert_eq!(
        (output.exit_code, scratch.read("outside/b.txt").as_str()),
        (Some(0), "new\n")
    );
}

#[tokio::test]
async fn missing_program_error_is_same_as_unconfined() {
    let scratch = fixture();
    let input = || BashInput {
        program: Some(Argv {
            words: vec!["no-such-program".to_owned()],
            has_arguments: false,
        }),
        ..BashInput::of(String::new())
    };
    let cx = ToolContext::test();

    let free = tool(&scratch).run(&cx, input()).await.unwrap_err();
    let bound = confined(&scratch).run(&cx, input()).await.unwrap_err();

    assert_eq!(bound.code(), &ErrorCode::CommandNotFound);
    assert_eq!(bound.to_string(), free.to_string());
}

#[tokio::test]
async fn grants_access_to_all_roots() {
    let scratch = fixture().folder("second");
    let workspace = Workspace::builder()
        .root(scratch.path().join("root"))
        .root(scratch.path().join("second"))
        .read_only_root(scratch.path().join("outside"))
        .build()
        .unwrap();
    let sandbox = Sandbox::standard().read_only_below::<&str>([]);
    let tool = Bash::new(workspace).without_filter().with_sandbox(sandbox);

    let script = "cat ../outside/b.txt; echo new > ../second/c.txt; echo evil > ../outside/b.txt";
    let output = run(&tool, script).await.unwrap();

    assert_eq!(
        (output.stdout.as_str(), output.exit_code),
        ("two\n", Some(1))
    );
    assert_eq!(scratch.read("second/c.txt"), "new\n");
    assert_eq!(scratch.read("outside/b.txt"), "two\n");
}

#[tokio::test]
async fn rejects_read_only_root_in_writable_root() {
    let scratch = fixture().folder("root/manual");
    let workspace = Workspace::builder()
        .root(scratch.path().join("root"))
        .read_only_root(scratch.path().join("root/manual"))
        .build()
        .unwrap();
    let tool = Bash::new(workspace)
        .without_filter()
        .with_sandbox(Sandbox::standard());

    let error = run(&tool, "touch ran").await.unwrap_err();

    assert_eq!(
        error.message(),
        "Nothing was run, because the sandbox for commands is unavailable: a read-only root of the workspace is inside a writable root."
    );
    assert!(!scratch.has("root/ran"));
}
