//! What a model sees of the output of commands.

use super::*;

async fn run(kit: &Kit, command: &str) -> ToolResult {
    registry(kit)
        .execute("bash", json!({"command": command}))
        .await
}

#[tokio::test]
async fn build_log_of_100_000_lines_shows_its_error() {
    let store: Arc<dyn OutputStore> = Arc::new(MemoryStore::default());
    let scratch = Scratch::new();
    let kit = kit(&scratch).with_output_store(store);
    let log = "crate() { seq -f '   Compiling crate %.0f' $1 $2; }
        crate 1 49999; echo 'error[E0308]: mismatched types'; echo ' --> src/lib.rs:7:5'; crate 50000 100000; exit 101";

    let result = run(&kit, log).await;

    let text = result.text();
    let handle = result.metadata.extra["stored_output"].as_str().unwrap();
    let continued = format!("; the full output is stored as {handle}]");
    assert!(
        text.contains("\nerror[E0308]: mismatched types\n --> src/lib.rs:7:5\n"),
        "{text}"
    );
    assert!(
        text.contains("-49,999 omitted of ") && text.contains(&continued),
        "{text}"
    );
    assert!(text.contains("\n[… lines 50,004-"), "{text}");
    assert!(
        text.ends_with("   Compiling crate 100000\nexit code 101"),
        "{text}"
    );
    assert!(text.len() < 40_000, "{}", text.len());
    assert_eq!(
        (result.metadata.bytes_dropped, result.warnings.len()),
        (0, 0)
    );
    let next = json!({"path": handle, "start_line": 14});
    let next = registry(&kit).execute("read", next).await;
    assert!(next.text().starts_with("   Compiling crate "), "{next}");
}

#[tokio::test]
async fn lower_limit_of_host_keeps_the_error() {
    let scratch = Scratch::new();
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .output_limit(OutputLimit::bytes(2000))
        .toolset(&standard(&kit(&scratch)).unwrap())
        .unwrap()
        .build();
    let log = json!({"command": "seq 5000; echo 'a.c:1: error: no'; seq 5000"});

    let result = registry.execute("bash", log).await;

    assert!(
        result.text().contains("\na.c:1: error: no\n1\n2\n3\n"),
        "{result}"
    );
    assert!(result.text().len() < 3000, "{result}");
}

#[tokio::test]
async fn escape_sequences_and_progress_are_only_for_the_host() {
    let scratch = Scratch::new();
    let printed = r"\033[31mred\033[0m\n 10%%\r 50%%\r100%%\ndone\n";

    let result = run(&kit(&scratch), &format!("printf '{printed}'")).await;
    let plain = run(&kit(&scratch), "printf 'a\\r\\nb\\n'").await;

    assert_eq!(result.text(), "red\n100%\ndone");
    let data = result.data.unwrap();
    assert_eq!(data["stdout"], "red\n100%\ndone\n");
    assert_eq!(
        data["raw"],
        "\u{1b}[31mred\u{1b}[0m\n 10%\r 50%\r100%\ndone\n"
    );
    assert_eq!(
        (plain.text().as_str(), plain.data.unwrap().get("raw")),
        ("a\nb", None)
    );
}

#[tokio::test]
async fn ends_without_a_message_are_explained() {
    let scratch = Scratch::new().file("a.sh", "#!/no/such/python3\n");
    for (command, text, warning) in [
        (
            "kill -9 $$",
            "killed by signal 9 (SIGKILL)",
            "memory ran out",
        ),
        (
            "(kill -11 $BASHPID); exit $?",
            "exit code 139",
            "signal 11 (SIGSEGV): it crashed",
        ),
        ("chmod +x a.sh; ./a.sh", "exit code 12", "interpreter"),
        ("no-such-program-here", "exit code 127", "`PATH`"),
    ] {
        let result = run(&kit(&scratch), command).await;

        assert!(result.text().contains(text), "{command}: {result}");
        let warnings = result.warnings.join("\n");
        assert!(warnings.contains(warning), "{command}: {warnings}");
    }
}
