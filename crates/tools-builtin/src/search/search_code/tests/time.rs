use super::*;
use crate::blocking::Permit;

// Without time, a search may also time out while waiting for searches of other tests.
#[track_caller]
fn assert_out_of_time(cx: &ToolContext) {
    let reported = warnings(cx).concat();
    assert!(reported.starts_with("The search timed out"), "{reported}");
}

#[tokio::test]
async fn search_times_out_while_waiting_for_others() {
    let scratch = project();
    let cx = ToolContext::test();
    let tool = SearchCode::new(Workspace::open(scratch.path()).unwrap())
        .with_time_limit(Duration::from_millis(20));
    let input = serde_json::from_value(json!({"query": "agent"})).unwrap();
    let others = Permit::acquire_all().await.unwrap();

    let output = tool.run(&cx, input).await.unwrap();

    drop(others);
    assert_eq!(
        output,
        SearchCodeOutput {
            matches: Vec::new(),
            total_matches: 0,
            files_searched: 0,
            truncated: true,
        }
    );
    assert_eq!(
        warnings(&cx),
        ["The search timed out while waiting for other searches; try again."]
    );
}

#[tokio::test]
async fn timeout_returns_matches_so_far() {
    let scratch = project();
    let cx = ToolContext::test();
    let tool =
        SearchCode::new(Workspace::open(scratch.path()).unwrap()).with_time_limit(Duration::ZERO);
    let input = serde_json::from_value(json!({"query": "agent"})).unwrap();

    let output = tool.run(&cx, input).await.unwrap();

    assert!(output.truncated && output.matches.is_empty());
    assert_out_of_time(&cx);
}

#[tokio::test]
async fn deep_directories_cause_warning() {
    let scratch = Scratch::new()
        .file("a.txt", "agent\n")
        .file(&format!("{}b.txt", "d/".repeat(101)), "agent\n");
    let cx = ToolContext::test();
    let tool = SearchCode::new(Workspace::open(scratch.path()).unwrap());
    let input = serde_json::from_value(json!({"query": "agent"})).unwrap();

    let output = tool.run(&cx, input).await.unwrap();

    assert_eq!((output.total_matches, output.truncated), (1, true));
    assert_eq!(
        warnings(&cx),
        [
            "Some directories were not searched: there are too many entries or levels; search a subdirectory."
        ]
    );
}

#[tokio::test]
async fn cancelled_search_stops() {
    let text = "aaaa aaaa aaaa aaaa\n".repeat(3_000_000);
    let scratch = Scratch::new().file("a.txt", &text).file("b.txt", &text);
    let token = CancellationToken::new();
    let cx = ToolContext::test().with_cancellation(token.clone());
    let input = json!({"query": r"(\w+\s)+b", "regex": true});
    let canceller = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
        Instant::now()
    };

    let (outcome, cancelled_at) = tokio::join!(run(&scratch, &cx, input), canceller);

    assert_eq!(outcome.unwrap_err().code(), &ErrorCode::Cancelled);
    // The whole search takes far longer, and a busy machine needs a second to notice.
    assert!(cancelled_at.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn incomplete_search_of_single_file_causes_warning() {
    let scratch = Scratch::new().file("a.txt", "agent\n");
    let cx = ToolContext::test();
    let tool =
        SearchCode::new(Workspace::open(scratch.path()).unwrap()).with_time_limit(Duration::ZERO);
    let input = serde_json::from_value(json!({"query": "agent", "path": "a.txt"})).unwrap();

    let output = tool.run(&cx, input).await.unwrap();

    assert!(output.truncated);
    assert_out_of_time(&cx);
}

#[tokio::test]
async fn expensive_expression_respects_time_limit() {
    let letters = (0..1_000_000_u32).map(|place| {
        let is_odd = (place.wrapping_mul(2_654_435_761) >> 28) & 1 == 1;
        match (place % 1000, is_odd) {
            (0, _) => '\n',
            (_, true) => 'a',
            (_, false) => 'b',
        }
    });
    let scratch = Scratch::new().file("a.txt", letters.collect::<String>());
    let tool = SearchCode::new(Workspace::open(scratch.path()).unwrap())
        .with_time_limit(Duration::from_millis(100));
    let heavy = r"[ab]{0,900}[ab]{0,900}x";
    let input = serde_json::from_value(json!({"query": heavy, "regex": true})).unwrap();
    let start = Instant::now();

    let output = tool.run(&ToolContext::test(), input).await.unwrap();

    assert!(output.truncated);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}
