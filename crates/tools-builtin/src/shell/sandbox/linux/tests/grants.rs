//! Permissions that calls request beyond the sandbox.

use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tool_core::approval::{Answer, ApprovalRequest, Policy, approver_fn};
use tool_core::{Registry, ToolResult};

use super::*;
use crate::{Kit, toolsets};

/// Calls `bash` in the default kit and returns the result and the approval requests.
async fn call(
    scratch: &Scratch,
    arguments: serde_json::Value,
) -> (ToolResult, Vec<ApprovalRequest>) {
    let requests: Arc<Mutex<Vec<ApprovalRequest>>> = Arc::default();
    let seen = Arc::clone(&requests);
    let kit = Kit::new(Workspace::open(scratch.path().join("root")).unwrap());
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(move |request| {
            seen.lock().unwrap().push(request.clone());
            Answer::Approve
        }))
        .toolset(&toolsets::standard(&kit).unwrap())
        .unwrap()
        .build();
    let result = registry.execute("bash", arguments).await;
    let requests = requests.lock().unwrap().clone();
    (result, requests)
}

#[tokio::test]
async fn approved_path_is_writable_and_nothing_else() {
    let script = "echo new > ../outside/b.txt; echo evil > ../other/b.txt";
    let scratch = fixture().folder("other").file("root/write.sh", script);
    let outside = scratch.path().join("outside");

    let (result, requests) = call(
        &scratch,
        json!({
            "command": "sh write.sh",
            "needs": [format!("write:{}", outside.display())],
            "reason": "to update the data",
        }),
    )
    .await;

    assert_eq!(scratch.read("outside/b.txt"), "new\n", "{result}");
    assert!(!scratch.has("other/b.txt"));
    let sandbox = &result.metadata.extra["sandbox"];
    assert_eq!(sandbox["writes"], "workspace_and_granted");
    assert_ne!(sandbox["network"], "open");
    let reason = requests[0].reason.as_deref().unwrap();
    assert!(reason.starts_with("requests write access to `"), "{reason}");
    assert!(reason.contains("(to update the data)"), "{reason}");
    let shown = requests[0].to_string();
    assert!(shown.contains("needs: [\"write:"), "{shown}");
}

#[tokio::test]
async fn approved_network_access_connects() {
    let scratch = fixture();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let command = format!(
        "perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) && connect(S, sockaddr_in({port}, INADDR_LOOPBACK)) or exit 1'; echo evil > ../outside/b.txt"
    );

    let denied = run(&confined(&scratch), &command).await.unwrap();
    let input = json!({"command": command, "needs": ["network"]});
    let granted = confined(&scratch)
        .run(&ToolContext::test(), serde_json::from_value(input).unwrap())
        .await
        .unwrap();

    assert_eq!(scratch.read("outside/b.txt"), "two\n");
    assert!(listener.set_nonblocking(true).is_ok() && listener.accept().is_ok());
    assert!(
        listener.accept().is_err(),
        "only the granted call connected"
    );
    assert_ne!((denied.exit_code, granted.exit_code), (Some(0), Some(0)));
}

#[tokio::test]
async fn approved_services_connect_and_network_does_not() {
    let scratch = fixture();
    let path = scratch.path().join("root/service");
    let listener = std::os::unix::net::UnixListener::bind(path).unwrap();
    let command = "perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un(\"service\")) or exit 1'";

    let mut codes = Vec::new();
    for need in ["network", "services"] {
        let input = json!({"command": command, "needs": [need]});
        let report = confined(&scratch)
            .run(&ToolContext::test(), serde_json::from_value(input).unwrap())
            .await
            .unwrap();
        codes.push(report.exit_code);
    }

    assert_ne!(codes[0], Some(0), "network opens no Unix socket");
    assert_eq!(codes[1], Some(0));
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_ok() && listener.accept().is_err());
}

#[tokio::test]
async fn approved_unconfined_call_runs_without_sandbox() {
    let scratch = fixture();

    let command = json!({"command": "cat ../outside/b.txt", "needs": ["unconfined"]});
    let (result, requests) = call(&scratch, command).await;

    assert_eq!(result.text(), "two", "{result}");
    assert_eq!(result.metadata.extra["sandbox"], json!({"enforced": false}));
    assert_eq!(result.metadata.extra["grants"], json!(["unconfined"]));
    assert_eq!(requests.len(), 1);
}

#[tokio::test]
async fn granted_path_with_symlink_runs_nothing() {
    let scratch = fixture()
        .folder("granted")
        .link("granted/link", "../outside");
    for path in ["../granted/link", "../missing", "/no/such"] {
        let command = json!({"command": "touch ran", "needs": [format!("write:{path}")]});

        let (result, _) = call(&scratch, command).await;

        let error = result.error.as_ref().unwrap();
        assert_eq!(
            error.parameter.as_deref(),
            Some("needs"),
            "{path}: {result}"
        );
        assert!(!scratch.has("root/ran"), "{path}");
    }
}

#[tokio::test]
async fn temporary_files_of_approved_call_are_private() {
    let scratch = fixture();
    let tool = confined(&scratch);
    let tmpdir = async |needs: serde_json::Value| {
        let input = json!({
            "command": "touch $TMPDIR/x && echo $TMPDIR",
            "needs": needs,
        });
        let input = serde_json::from_value(input).unwrap();
        let cx = ToolContext::test();
        tool.run(&cx, input).await.unwrap().stdout
    };

    let plain = [tmpdir(json!(null)).await, tmpdir(json!(null)).await];
    let approved = tmpdir(json!(["network"])).await;

    let shared = plain.each_ref().map(|path| Path::new(path).parent());
    assert_eq!(shared[0], shared[1]);
    assert_ne!(plain[0], plain[1]);
    assert_ne!(Path::new(&approved).parent(), shared[0]);
}

#[tokio::test]
async fn prepared_temporary_directory_is_empty() {
    let scratch = fixture();
    let tool = confined(&scratch);
    let plant = "sleep 0.2; for d in $(dirname $TMPDIR)/toolwright-*; do touch $d/planted; done";

    run(&tool, plant).await.unwrap();
    let next = run(&tool, "ls -A $TMPDIR | wc -l").await.unwrap();

    assert_eq!(next.stdout, "0\n", "{next:?}");
}

#[tokio::test]
async fn rules_do_not_cover_replaced_directory() {
    let scratch = fixture().file("lib/a.txt", "old\n");
    let lib = scratch.path().join("lib");
    let tool = tool(&scratch).with_sandbox(Sandbox::standard().read_only_below([&lib]));
    let before = run(&tool, "cat ../lib/a.txt").await.unwrap();

    std::fs::rename(&lib, scratch.path().join("old")).unwrap();
    let scratch = scratch.file("lib/a.txt", "new\n");
    let old = run(&tool, "cat ../old/a.txt ../lib/a.txt").await.unwrap();

    assert_eq!(before.stdout, "old\n");
    // The rules are created again after 10 seconds.
    assert!(["old\n", "new\n"].contains(&old.stdout.as_str()), "{old:?}");
    drop(scratch);
}

#[tokio::test]
async fn denied_operation_suggests_grant() {
    let scratch = fixture();
    for (script, warning) in [
        (
            "cat ../outside/b.txt",
            Some(
                "The sandbox may have denied access: commands write only in the workspace and `$TMPDIR`, and read no private files. Pass `needs` as `[\"write:<path>\"]`, with a `reason`, to request write access to a path.",
            ),
        ),
        (
            "getent hosts example.com; echo 'Could not resolve host'; false",
            Some(
                "The sandbox denied network access. Pass `needs` as `[\"network\"]`, with a `reason`, to request it.",
            ),
        ),
        (
            "cat ../outside/b.txt | wc -l",
            Some(
                "The sandbox may have denied access: commands write only in the workspace and `$TMPDIR`, and read no private files. Pass `needs` as `[\"write:<path>\"]`, with a `reason`, to request write access to a path.",
            ),
        ),
        ("echo 'Permission denied'", None),
        ("false", None),
    ] {
        let tool = tool(&scratch).with_sandbox(Sandbox::workspace());

        let report = report(&tool, script).await;

        assert_eq!(
            report.warnings.first().map(String::as_str),
            warning,
            "{script}"
        );
    }
    let unconfined = report(&tool(&scratch), "echo 'Permission denied'; false").await;
    assert_eq!(unconfined.warnings, [] as [String; 0]);
}
