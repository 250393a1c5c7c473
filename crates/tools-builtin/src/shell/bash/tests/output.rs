//! Streams of a command, and what is left of long ones.

use super::*;

#[tokio::test]
async fn separates_streams_and_combines_in_order() {
    let command = "for i in 1 2 3; do echo out $i; sleep 0.05; echo err $i >&2; sleep 0.05; done";

    // Under load, both streams may be read only after several lines were written.
    for _ in 0..20 {
        let output = call(command).await;

        assert_eq!(output.stdout, "out 1\nout 2\nout 3\n");
        assert_eq!(output.stderr, "err 1\nerr 2\nerr 3\n");
        if output.output == "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n" {
            return;
        }
    }
    panic!("the streams were not combined in order");
}

#[tokio::test]
async fn truncated_output_causes_warning() {
    let (cx, scratch) = (ToolContext::test(), Scratch::new());
    let input = json!({"command": "seq 1 20000; echo short >&2"});

    let output = run_with(&tool(&scratch), &cx, input.clone()).await.unwrap();
    let long = tool(&scratch).with_max_output_bytes(200_000);
    let complete = ToolContext::test();
    let full = run_with(&long, &complete, input).await.unwrap();

    assert!(output.stdout.contains(" omitted of "));
    assert_eq!(
        report(&cx).warnings,
        [
            "The command printed 108894 bytes in 20000 lines to standard output, which is truncated. \
            Redirect the output to a file and read the parts that you need."
        ]
    );
    assert_eq!(full.stdout.lines().count(), 20_000);
    assert_eq!(report(&complete).warnings, [""; 0]);
}

#[tokio::test]
async fn truncated_output_is_stored() {
    use tool_core::output_store::{MemoryStore, OutputHandle, OutputStore};
    let store = std::sync::Arc::new(MemoryStore::default());
    let (cx, scratch) = (ToolContext::test(), Scratch::new());
    let tool = tool(&scratch).with_output_store(store.clone());

    let short = run_with(&tool, &ToolContext::test(), json!({"command": "seq 3"})).await;
    let input = json!({"command": "seq 1 200000; echo broken >&2; exit 3"});
    let output = run_with(&tool, &cx, input).await.unwrap();

    assert_eq!(short.unwrap().stdout, "1\n2\n3\n");
    assert_eq!(output.stdout.len(), 65_611);
    assert_eq!(output.stderr, "broken\n");
    let report = report(&cx);
    let handle = report.metadata["stored_output"].as_str().unwrap();
    assert_eq!(
        report.warnings,
        [format!(
            "The command printed 1288895 bytes in 200000 lines to standard output, which is truncated. \
            `read_stored_output` reads the rest from the handle `{handle}`. \
            Redirect the output to a file and read the parts that you need."
        )]
    );
    let handle = OutputHandle::parse(handle).unwrap();
    let page = store.read(&handle, 1_288_880, 100).await.unwrap();
    assert_eq!(
        page.content,
        "\n199999\n200000\nstderr:\nbroken\nexit code 3"
    );
}
