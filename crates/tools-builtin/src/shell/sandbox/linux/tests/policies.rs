//! What the host may ask for, and what it is told.

use tool_core::ErrorCode;

use super::*;
use crate::shell::SandboxUnavailable;
use crate::shell::sandbox::Confinement;
use crate::shell::sandbox::system::State;
use crate::shell::sandbox::system::kernel::Kernel;

#[tokio::test]
async fn metadata_say_what_was_enforced() {
    let scratch = place();
    let abi = serde_json::to_value(7).unwrap();

    let said = said(&confined(&scratch), "true").await;

    let mut sandbox = said.metadata["sandbox"].clone();
    assert!(sandbox["landlock_abi"].as_i64().unwrap() >= 3);
    if sandbox["landlock_abi"] != abi {
        return;
    }
    sandbox["landlock_abi"] = abi;
    assert_eq!(
        sandbox,
        json!({
            "landlock_abi": 7,
            "reads": "everything",
            "writes": "workspace",
            "private_tmp": true,
            "network": "refused",
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
async fn on_a_kernel_that_is_too_old_nothing_runs() {
    let scratch = place();
    for found in [0, 2] {
        let workspace = Workspace::open(scratch.path().join("root")).unwrap();
        let state = State::on(Kernel::with_landlock(found));
        let confinement = Confinement::with_state(workspace, Sandbox::standard(), state);

        let error = run(&engine(&scratch).confined(confinement), "touch ran")
            .await
            .unwrap_err();

        assert_eq!(error.code(), &ErrorCode::from("sandbox_unavailable"));
        assert_eq!(
            error.message(),
            format!(
                "Nothing was run: commands may only run in a sandbox, which cannot be set up: the kernel offers Landlock {found}, and 3 is needed."
            )
        );
        assert!(!scratch.has("root/ran"));
    }
}

#[tokio::test]
async fn on_an_older_kernel_what_is_missing_is_said() {
    let scratch = place();
    let workspace = Workspace::open(scratch.path().join("root")).unwrap();
    let state = State::on(Kernel::with_landlock(3));
    let confinement = Confinement::with_state(workspace, Sandbox::standard(), state);
    let engine = engine(&scratch).confined(confinement);

    let said = said(&engine, "true").await;
    let written = run(&engine, "echo evil > ../outside/b.txt").await.unwrap();
    let connected = run(&engine, "exec 3<>/dev/tcp/127.0.0.1/1").await.unwrap();

    let sandbox = &said.metadata["sandbox"];
    assert_eq!(sandbox["landlock_abi"], 3);
    assert_eq!(
        (&sandbox["signals"], &sandbox["devices"]),
        (&json!("open"), &json!("open"))
    );
    assert_ne!(written.exit_code, Some(0));
    assert!(connected.stderr.contains("not permitted"), "{connected:?}");
}

#[tokio::test]
async fn a_folder_that_is_not_there_cannot_be_opened_to_programs() {
    let scratch = place();
    for sandbox in [
        Sandbox::standard().write_below("/no/such/folder"),
        Sandbox::standard().read_only_below(["/no/such/folder"]),
    ] {
        let unavailable = sandbox.check().unwrap_err();
        let error = run(&engine(&scratch).with_sandbox(sandbox), "touch ran")
            .await
            .unwrap_err();

        assert!(matches!(unavailable, SandboxUnavailable::Folder(..)));
        assert_eq!(error.code().as_str(), "sandbox_unavailable");
        assert!(!error.to_string().contains("/no"), "{error}");
        assert!(!scratch.has("root/ran"));
    }
}

#[tokio::test]
async fn the_standard_sandbox_can_be_had_here_and_checking_binds_nobody() {
    let scratch = place();

    Sandbox::standard().check().unwrap();

    std::fs::write(scratch.path().join("outside/b.txt"), "free").unwrap();
    std::net::TcpListener::bind("127.0.0.1:0").unwrap();
}

#[tokio::test]
async fn only_listed_folders_are_read_where_the_host_lists_them() {
    let scratch = place();
    let free = engine(&scratch).with_sandbox(Sandbox::standard());
    let listed = engine(&scratch).with_sandbox(Sandbox::standard().read_only_below::<&str>([]));
    let outside = scratch.path().join("outside");
    let more = engine(&scratch).with_sandbox(Sandbox::standard().read_only_below([outside]));

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
async fn the_host_may_open_more_folders_for_writing() {
    let scratch = place();
    let sandbox = Sandbox::standard().write_below(scratch.path().join("outside"));

    let output = run(
        &engine(&scratch).with_sandbox(sandbox),
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
async fn a_program_that_cannot_be_found_is_told_as_without_a_sandbox() {
    let scratch = place();
    let input = || serde_json::from_value(json!({"command": "no-such-program"})).unwrap();
    let (cx, limits) = (ToolContext::test(), Limits::default());

    let free = engine(&scratch)
        .run(&cx, input(), &limits)
        .await
        .unwrap_err();
    let bound = confined(&scratch)
        .run(&cx, input(), &limits)
        .await
        .unwrap_err();

    assert_eq!(bound.code(), &ErrorCode::CommandNotFound);
    assert_eq!(bound.to_string(), free.to_string());
}

#[tokio::test]
async fn every_root_is_read_and_those_that_may_be_are_written() {
    let scratch = place().folder("second");
    let workspace = Workspace::builder()
        .root(scratch.path().join("root"))
        .root(scratch.path().join("second"))
        .read_only_root(scratch.path().join("outside"))
        .build()
        .unwrap();
    let sandbox = Sandbox::standard().read_only_below::<&str>([]);
    let engine = RunCommand::new(workspace)
        .without_filter()
        .with_sandbox(sandbox);

    let script = "cat ../outside/b.txt; echo new > ../second/c.txt; echo evil > ../outside/b.txt";
    let output = run(&engine, script).await.unwrap();

    assert_eq!(
        (output.stdout.as_str(), output.exit_code),
        ("two\n", Some(1))
    );
    assert_eq!(scratch.read("second/c.txt"), "new\n");
    assert_eq!(scratch.read("outside/b.txt"), "two\n");
}

#[tokio::test]
async fn a_read_only_root_in_a_writable_one_cannot_be_kept_and_nothing_runs() {
    let scratch = place().folder("root/manual");
    let workspace = Workspace::builder()
        .root(scratch.path().join("root"))
        .read_only_root(scratch.path().join("root/manual"))
        .build()
        .unwrap();
    let engine = RunCommand::new(workspace)
        .without_filter()
        .with_sandbox(Sandbox::standard());

    let error = run(&engine, "touch ran").await.unwrap_err();

    assert_eq!(
        error.message(),
        "Nothing was run: commands may only run in a sandbox, which cannot be set up: a read-only root of the workspace lies in one that may be written."
    );
    assert!(!scratch.has("root/ran"));
}
