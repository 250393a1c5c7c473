use serde_json::{Value, json};

use super::*;
use crate::door::testing::{Received, Reply, Server};
use crate::gmail::testing::{account, message};

fn input(value: Value) -> SearchMailInput {
    serde_json::from_value(value).unwrap()
}

async fn search(
    server: &Server,
    value: Value,
) -> (Result<SearchMailOutput, ToolError>, ToolContext) {
    let (tool, cx) = (
        GmailSearch(Gmail {
            account: account(server),
        }),
        ToolContext::test(),
    );
    let input = input(value);
    let found = match tool.plan(&cx, &input) {
        Ok(_) => tool.run(&cx, input).await,
        Err(error) => Err(error),
    };
    (found, cx)
}

fn warnings(cx: &ToolContext) -> Vec<String> {
    let mut output = tool_core::ToolOutput::text("");
    cx.move_additions_to(&mut output);
    output.warnings
}

/// Lists messages `m0` to `m9`, and replies to requests of one with `of_message`.
async fn mailbox(of_message: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |request: &Received, _| match request.route() {
        "/messages" => {
            let count: usize = request.query("maxResults").unwrap().parse().unwrap();
            let ids: Vec<Value> = (0..count).map(|n| json!({"id": format!("m{n}")})).collect();
            Reply::json(
                &json!({"messages": ids, "nextPageToken": "p 2", "resultSizeEstimate": 201}),
            )
        }
        path => of_message(path.rsplit('/').next().unwrap()),
    })
    .await
}

fn found(id: &str) -> Reply {
    let headers = [
        ("FROM", "=?UTF-8?Q?J=C3=B6rg?= <j@example.com>"),
        ("Subject", "Tea"),
    ];
    Reply::json(&message(id, &headers, "body"))
}

#[tokio::test]
async fn sends_query_unchanged_and_reads_headers_only() {
    let server = mailbox(found).await;
    let query = r#"from:"A & B" after:1792000000 before:2026/01/02 {is:unread -in:chats} "50%+""#;

    let (output, _) = search(&server, json!({"query": query, "pageToken": "p&1"})).await;

    let output = output.unwrap();
    let requests = server.received();
    assert_eq!(requests.len(), 11);
    assert_eq!(requests[0].query("q").as_deref(), Some(query));
    assert_eq!(requests[0].query("pageToken").as_deref(), Some("p&1"));
    assert_eq!(
        requests[0].header("authorization"),
        Some("Bearer ya29.canary-token")
    );
    assert!(requests[1].path.ends_with(
        "?format=metadata&metadataHeaders=From&metadataHeaders=To&metadataHeaders=Subject&metadataHeaders=Date"
    ));
    assert_eq!(output.messages.len(), 10);
    let first = &output.messages[0];
    assert_eq!((first.id.as_str(), first.subject.as_str()), ("m0", "Tea"));
    assert_eq!(first.from, "Jörg <j@example.com>");
    assert_eq!((first.snippet.as_str(), first.unread), ("It's tea", true));
    assert_eq!(first.date, "2026-10-14T17:46:40Z");
    assert_eq!(output.messages[9].id, "m9");
    let text = GmailSearch::render(&output);
    assert!(text.starts_with("10 messages for \"from:"), "{text}");
    assert!(text.ends_with("More messages: `pageToken` p 2"), "{text}");
}

#[tokio::test]
async fn clamps_limit() {
    for (limit, sent) in [(0, "1"), (-5, "1"), (50, "50"), (51, "50")] {
        let server = mailbox(found).await;

        let (output, _) = search(&server, json!({"query": "a", "maxResults": limit})).await;

        assert_eq!(
            server.received()[0].query("maxResults").as_deref(),
            Some(sent)
        );
        assert_eq!(output.unwrap().messages.len().to_string(), sent);
    }
}

#[tokio::test]
async fn no_hits_is_success() {
    let server = Server::replies([Reply::json(&json!({"resultSizeEstimate": 0}))]).await;

    let (output, _) = search(&server, json!({"query": "a"})).await;

    assert_eq!(
        GmailSearch::render(&output.unwrap()),
        "No messages for \"a\"."
    );
}

#[tokio::test]
async fn omits_messages_that_are_gone_or_fail() {
    let server = mailbox(|id| match id {
        "m1" => Reply::error(404, &json!({})),
        "m2" => Reply::error(500, &json!({})),
        id => found(id),
    })
    .await;

    let (output, cx) = search(&server, json!({"query": "a"})).await;

    assert_eq!(output.unwrap().messages.len(), 8);
    assert_eq!(
        warnings(&cx),
        ["2 of the messages could not be read, or were deleted in the meantime."]
    );
}

#[tokio::test]
async fn fails_if_no_message_can_be_read() {
    let server = mailbox(|_| Reply::error(500, &json!({}))).await;

    let (output, _) = search(&server, json!({"query": "a", "maxResults": 2})).await;

    assert_eq!(output.unwrap_err().code().as_str(), "unavailable");
}

#[tokio::test]
async fn repeats_after_rate_limit_of_status_403() {
    let body = json!({"error": {"errors": [{"reason": "userRateLimitExceeded"}]}});
    let server = Server::start(move |_, count| match count {
        0 => Reply::error(403, &body),
        _ => Reply::json(&json!({})),
    })
    .await;

    let (output, _) = search(&server, json!({"query": "a"})).await;

    assert!(output.is_ok());
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn reports_new_quota_error() {
    let body = json!({"error": {
        "code": 429, "status": "RESOURCE_EXHAUSTED",
        "message": "Quota exceeded for quota metric 'Query units' and limit 'Query units per minute per user'",
        "details": [{"reason": "RATE_LIMIT_EXCEEDED"}],
    }});
    let server = Server::replies([Reply::error(429, &body)]).await;

    let (output, _) = search(&server, json!({"query": "a"})).await;

    let error = output.unwrap_err();
    assert_eq!(
        (error.code().as_str(), error.retryable()),
        ("rate_limited", true)
    );
}

#[tokio::test]
async fn rejects_invalid_queries_before_request() {
    let server = mailbox(found).await;
    for (query, text) in [
        ("", "`query` is empty."),
        (" \t ", "`query` is empty."),
        ("a\nb", "`query` contains control characters."),
        (
            &"ä".repeat(1025),
            "`query` has 2050 bytes; at most 2048 are allowed.",
        ),
    ] {
        let (output, _) = search(&server, json!({"query": query})).await;

        assert_eq!(output.unwrap_err().message(), text);
    }
    assert!(server.received().is_empty());
}
