use super::*;
use crate::threads::Permit;

/// A search without time has none to wait for the searches of other tests either, and then says that.
#[track_caller]
fn assert_out_of_time(cx: &ToolContext) {
    let told = warnings(cx).concat();
    assert!(told.starts_with("The time for searching ran out"), "{told}");
}

#[tokio::test]
async fn a_search_that_waits_for_others_until_its_time_is_up_says_so() {
    let scratch = project();
    let cx = ToolContext::test();
    let engine = SearchCode::new(Workspace::open(scratch.path()).unwrap())
        .with_time_limit(Duration::from_millis(20));
    let input = serde_json::from_value(json!({"query": "agent"})).unwrap();
    let others = Permit::of_everybody().await.unwrap();

    let output = engine.run(&cx, input, &Limits::default()).await.unwrap();

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
        ["The time for searching ran out while other searches ran; try again."]
    );
}

#[tokio::test]
async fn when_the_time_is_up_the_answer_is_what_was_found() {
    let scratch = project();
    let cx = ToolContext::test();
    let engine =
        SearchCode::new(Workspace::open(scratch.path()).unwrap()).with_time_limit(Duration::ZERO);
    let input = serde_json::from_value(json!({"query": "agent"})).unwrap();

    let output = engine.run(&cx, input, &Limits::default()).await.unwrap();

    assert!(output.truncated && output.matches.is_empty());
    assert_out_of_time(&cx);
}

#[tokio::test]
async fn folders_that_lie_too_deep_are_told() {
    let scratch = Scratch::new()
        .file("a.txt", "agent\n")
        .file(&format!("{}b.txt", "d/".repeat(101)), "agent\n");
    let cx = ToolContext::test();
    let engine = SearchCode::new(Workspace::open(scratch.path()).unwrap());
    let input = serde_json::from_value(json!({"query": "agent"})).unwrap();

    let output = engine.run(&cx, input, &Limits::default()).await.unwrap();

    assert_eq!((output.total_matches, output.truncated), (1, true));
    assert_eq!(
        warnings(&cx),
        [
            "Not every folder was looked into: there are too many entries, or they lie too deep; search further down."
        ]
    );
}

#[tokio::test]
async fn a_cancelled_search_stops() {
    let text = "aaaa aaaa aaaa aaaa\n".repeat(3_000_000);
    let scratch = Scratch::new().file("a.txt", &text).file("b.txt", &text);
    let token = CancellationToken::new();
    let cx = ToolContext::test().with_cancellation(token.clone());
    let limits = Limits::default();
    let input = json!({"query": r"(\w+\s)+b", "regex": true});
    let canceller = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
        Instant::now()
    };

    let (outcome, cancelled_at) = tokio::join!(run(&scratch, &cx, &limits, input), canceller);

    assert_eq!(outcome.unwrap_err().code(), &ErrorCode::Cancelled);
    assert!(cancelled_at.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_single_file_that_was_not_searched_to_its_end_says_so() {
    let scratch = Scratch::new().file("a.txt", "agent\n");
    let cx = ToolContext::test();
    let engine =
        SearchCode::new(Workspace::open(scratch.path()).unwrap()).with_time_limit(Duration::ZERO);
    let input = serde_json::from_value(json!({"query": "agent", "path": "a.txt"})).unwrap();

    let output = engine.run(&cx, input, &Limits::default()).await.unwrap();

    assert!(output.truncated);
    assert_out_of_time(&cx);
}

#[tokio::test]
async fn a_heavy_expression_keeps_the_time_limit() {
    let letters = (0..1_000_000_u32).map(|place| {
        let is_odd = (place.wrapping_mul(2_654_435_761) >> 28) & 1 == 1;
        match (place % 1000, is_odd) {
            (0, _) => '\n',
            (_, true) => 'a',
            (_, false) => 'b',
        }
    });
    let scratch = Scratch::new().file("a.txt", letters.collect::<String>());
    let engine = SearchCode::new(Workspace::open(scratch.path()).unwrap())
        .with_time_limit(Duration::from_millis(100));
    let heavy = r"[ab]{0,900}[ab]{0,900}x";
    let input = serde_json::from_value(json!({"query": heavy, "regex": true})).unwrap();
    let start = Instant::now();

    let output = engine
        .run(&ToolContext::test(), input, &Limits::default())
        .await
        .unwrap();

    assert!(output.truncated);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
}
