//! Settings of the host.

use std::time::Duration;

use super::*;

#[test]
fn host_sets_timeout_range() {
    let tool = WebFetch::default().with_timeout_seconds(5..=120);
    for (seconds, is_taken) in [(4, false), (5, true), (120, true), (121, false)] {
        let mut input = input("https://example.com/");
        input.timeout_seconds = seconds;

        assert_eq!(
            tool.plan(&ToolContext::test(), &input).is_ok(),
            is_taken,
            "{seconds}"
        );
    }
    assert!(tool.timeout().unwrap() > Duration::from_mins(2));
}

#[tokio::test]
async fn page_of_one_character_is_singular() {
    let server = RawServer::always(response("text/plain", "x")).await;
    let tool = local_engine();
    let mut past = input(&server.url("/"));
    past.offset = 5;

    let error = failed(&tool, past).await;

    assert!(error.to_string().contains("1 character"), "{error}");
    assert!(!error.to_string().contains("1 characters"), "{error}");
}
