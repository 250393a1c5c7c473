use serde_json::json;
use tool_core::{Secret, ToolOutput};

use super::*;
use crate::door::testing::{Reply, Server};

const KEY: &str = "sk-ant-admin01-canary";

async fn usage(server: &Server, value: Value) -> (Result<UsageOutput, ToolError>, Vec<String>) {
    let admin = AnthropicAdmin::new(&Secret::new(KEY.to_owned())).unwrap();
    let tool = AnthropicUsage(
        admin
            // The path is appended, because this address has none.
            .with_base_url(&server.url())
            .unwrap(),
    );
    let cx = ToolContext::test();
    let input = serde_json::from_value(value).unwrap();
    let found = match tool.plan(&cx, &input) {
        Ok(_) => tool.run(&cx, input).await,
        Err(error) => Err(error),
    };
    let mut output = ToolOutput::text("");
    cx.move_additions_to(&mut output);
    (found, output.warnings)
}

fn page(rows: &[Value], next: Option<&str>) -> Reply {
    Reply::json(&json!({"data": rows, "has_more": next.is_some(), "next_page": next}))
}

#[tokio::test]
async fn sends_each_action() {
    for (input, path) in [
        (
            json!({"action": "usage", "starting_at": "2026-11-01", "ending_at": "2026-11-02T12:00:00+01:00",
                "bucket_width": "1h", "group_by": ["model", "workspace_id"]}),
            "/usage_report/messages?limit=168&starting_at=2026-11-01T00%3A00%3A00Z&ending_at=2026-11-02T11%3A00%3A00Z&\
             bucket_width=1h&group_by%5B%5D=model&group_by%5B%5D=workspace_id",
        ),
        (
            json!({"action": "cost", "starting_at": "2026-11-01", "limit": 7}),
            "/cost_report?limit=7&starting_at=2026-11-01T00%3A00%3A00Z",
        ),
        (
            json!({"action": "claude_code", "starting_at": "2026-11-01T23:30:00-02:00"}),
            "/usage_report/claude_code?limit=1000&starting_at=2026-11-02",
        ),
    ] {
        let server = Server::replies([page(&[], None)]).await;

        assert!(usage(&server, input).await.0.is_ok(), "{path}");

        let request = &server.received()[0];
        assert_eq!(request.path, format!("/v1/organizations{path}"));
        assert_eq!(request.header("x-api-key"), Some(KEY));
        assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    }
}

#[tokio::test]
async fn reads_all_pages_and_converts_amounts() {
    let row = |amount: &str| json!({"results": [{"amount": amount, "currency": "USD"}]});
    let replies = [
        page(&[row("10")], Some("p2")),
        page(&[row("20.5")], Some("p3")),
        page(&[row("-1")], None),
    ];
    let server = Server::replies(replies).await;

    let (output, warnings) = usage(
        &server,
        json!({"action": "cost", "starting_at": "2026-11-01"}),
    )
    .await;

    let output = output.unwrap();
    assert_eq!(output.total_usd.as_deref(), Some("0.295"));
    assert_eq!(
        output.data[1]["results"][0],
        json!({"amount_usd": "0.205", "currency": "USD"})
    );
    assert_eq!(
        (output.data.len(), output.has_more, output.truncated),
        (3, false, false)
    );
    assert_eq!(server.received()[2].query("page").as_deref(), Some("p3"));
    assert!(warnings.is_empty());
}

#[tokio::test]
async fn amounts_in_other_currencies_are_reported() {
    let euro = json!({"results": [{"amount": "10", "currency": "EUR"}]});
    let server = Server::replies([page(&[euro], None)]).await;

    let input = json!({"action": "cost", "starting_at": "2026-11-01"});
    let (output, warnings) = usage(&server, input).await;

    assert_eq!(output.unwrap().total_usd, None);
    assert_eq!(
        warnings,
        ["1 amounts are not plain US dollars; they are unchanged and not in the total."]
    );
}

#[tokio::test]
async fn repeated_page_token_ends_report() {
    let server = Server::replies([page(&[json!({})], Some("p"))]).await;

    let (output, warnings) = usage(
        &server,
        json!({"action": "usage", "starting_at": "2026-11-01"}),
    )
    .await;

    assert!(output.unwrap().truncated);
    assert_eq!((server.received().len(), warnings.len()), (2, 2));
}

#[tokio::test]
async fn claude_code_reads_each_day() {
    let row = json!({"core_metrics": {}, "model_breakdown": [{"estimated_cost": {"amount": 1025, "currency": "USD"}}]});
    let server = Server::replies([page(&[row], None)]).await;

    let input =
        json!({"action": "claude_code", "starting_at": "2026-11-01", "ending_at": "2026-11-04"});
    let (output, _) = usage(&server, input).await;

    let days: Vec<_> = server
        .received()
        .iter()
        .map(|request| request.query("starting_at").unwrap())
        .collect();
    assert_eq!(days, ["2026-11-01", "2026-11-02", "2026-11-03"]);
    assert_eq!(output.unwrap().total_usd.as_deref(), Some("30.75"));
}

#[tokio::test]
async fn rejects_invalid_arguments_before_request() {
    let server = Server::replies([Reply::Close]).await;
    for (change, parameter) in [
        (json!({"limit": 32}), "limit"),
        (json!({"limit": 0}), "limit"),
        (json!({"bucket_width": "1w"}), "bucket_width"),
        (
            json!({"action": "cost", "bucket_width": "1h"}),
            "bucket_width",
        ),
        (
            json!({"action": "claude_code", "bucket_width": "1d"}),
            "bucket_width",
        ),
        (
            json!({"action": "claude_code", "ending_at": "2026-12-05"}),
            "ending_at",
        ),
        (json!({"starting_at": "yesterday"}), "starting_at"),
        (json!({"ending_at": "2026-11-01"}), "ending_at"),
    ] {
        let mut input = json!({"action": "usage", "starting_at": "2026-11-01"});
        for (name, value) in change.as_object().unwrap() {
            input[name] = value.clone();
        }

        let error = usage(&server, input).await.0.unwrap_err();

        assert_eq!(error.parameter(), Some(parameter), "{change}");
    }
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn reports_errors_of_service() {
    let message = json!({"error": {"message": "group_by: unknown group `colour`"}});
    for (status, code, text) in [
        (
            400,
            "invalid_arguments",
            "`group_by` was rejected by the service. group_by: unknown group `colour`",
        ),
        (
            401,
            "not_authorized",
            "Anthropic rejected the key of the application. Tell the user that the application's credentials \
             are rejected. An admin key is required; it begins with `sk-ant-admin`.",
        ),
        (
            403,
            "permission_denied",
            "Anthropic denied access. Search again, or use another item.",
        ),
        (
            429,
            "rate_limited",
            "The rate limit of Anthropic is exhausted. Try again after a minute.",
        ),
    ] {
        let server = Server::replies([Reply::error(status, &message)]).await;

        let input = json!({"action": "usage", "starting_at": "2026-11-01", "group_by": ["colour"]});
        let error = usage(&server, input).await.0.unwrap_err();

        assert_eq!(
            (error.code().as_str(), error.to_string().as_str()),
            (code, text)
        );
    }
}

#[tokio::test]
async fn echoed_key_is_removed() {
    let server = Server::replies([page(&[json!({"note": KEY})], None)]).await;

    let (output, _) = usage(
        &server,
        json!({"action": "usage", "starting_at": "2026-11-01"}),
    )
    .await;

    assert_eq!(output.unwrap().data, [json!({"note": "[redacted]"})]);
}
