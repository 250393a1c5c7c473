use super::*;

/// Creates enough files for helpers to start, including special cases.
fn large_project() -> Scratch {
    let late = [&b"filler\n".repeat(2000)[..], b"\0needle\n"].concat();
    let long = format!("{}needle{}", "x".repeat(200_000), "y".repeat(100_000));
    let odd = Scratch::new()
        .file("a.late", late)
        .file("m/b.utf16", b"\xff\xfen\0e\0e\0d\0l\0e\0\n\0")
        .file("m/c.latin1", b"caf\xe9 needle\r\nneedle")
        .file("m/d.bin", b"\0needle")
        .file("z/e.min.js", long)
        .file("z/f.txt", "no line break, needle");
    (0..500).fold(odd, |scratch, number| {
        let text = format!(
            "one\nneedle {number}\n{}three needles\n",
            "two\n".repeat(number % 7)
        );
        scratch.file(
            &format!("{}/{}/{number}.txt", number % 5, number % 40),
            text,
        )
    })
}

fn search_with(scratch: &Scratch, helpers: usize, input: &Value) -> SearchCodeOutput {
    let cancellation = CancellationToken::new();
    let stop = StopConditions::new(Instant::now() + Duration::from_mins(1), &cancellation);
    let tool = SearchCode::new(Workspace::open(scratch.path()).unwrap());
    let input = serde_json::from_value(input.clone()).unwrap();
    let found = tool.search(&input, stop, || vec![(); helpers]);
    found.ok().unwrap().0
}

#[test]
fn output_is_independent_of_thread_count() {
    let scratch = large_project();
    for input in [
        json!({"query": "needle", "limit": 1000}),
        json!({"query": "needle", "limit": 400, "context_lines": 2}),
        json!({"query": "needle [0-9]*7$", "regex": true, "limit": 1000}),
        json!({"query": "three", "limit": 299}),
    ] {
        let alone = search_with(&scratch, 0, &input);
        for helpers in [1, 3, 7] {
            for _ in 0..5 {
                assert_eq!(
                    search_with(&scratch, helpers, &input),
                    alone,
                    "{input} {helpers}"
                );
            }
        }
    }
}

#[test]
fn helpers_find_same_matches_as_one_thread() {
    let scratch = large_project();

    let output = search_with(&scratch, 3, &json!({"query": "needle 49", "limit": 1000}));

    assert_eq!(
        (
            output.matches.len(),
            output.files_searched,
            output.truncated
        ),
        (11, 505, false)
    );
}

#[tokio::test]
async fn concurrent_searches_wait_and_return_results() {
    let scratch = project();
    let tool = SearchCode::new(Workspace::open(scratch.path()).unwrap());
    let mut searches = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let tool = tool.clone();
        let input = serde_json::from_value(json!({"query": "agent"})).unwrap();
        searches.spawn(async move {
            let cx = ToolContext::test();
            tool.run(&cx, input).await
        });
    }

    let mut counts = Vec::new();
    while let Some(output) = searches.join_next().await {
        counts.push(output.unwrap().unwrap().total_matches);
    }

    assert_eq!(counts, [6; 40]);
}
