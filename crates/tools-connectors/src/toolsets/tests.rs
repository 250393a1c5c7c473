use serde_json::{Value, json};
use tool_core::approval::Policy;
use tool_core::{Registry, RiskLevel, Secret};
use tool_test::{Laws, Scratch};

use super::*;
use crate::Connectors;
use crate::anthropic::AnthropicAdmin;
use crate::door::testing::{Reply, Server};
use crate::google::{
    GmailAccess, Google, GoogleClient, GoogleEndpoints, TokenFolder, TokenKey, TokenStore as _,
};
use crate::linkedin::LinkedIn;

const NAMES: [&str; 9] = [
    "linkedin_jobs",
    "linkedin_job_detail",
    "gmail_search",
    "gmail_read",
    "gmail_send",
    "calendar_list_events",
    "calendar_create_event",
    "calendar_get_event",
    "anthropic_usage",
];

fn google(scratch: &Scratch, url: &str) -> Google {
    let client = GoogleClient::new("id-1").with_secret(Secret::new("secret-1".to_owned()));
    Google::new(client, TokenFolder::new(scratch.path()))
        .with_endpoints(GoogleEndpoints::at(url).unwrap())
}

fn connectors(scratch: &Scratch, url: &str) -> Connectors {
    let admin = AnthropicAdmin::new(&Secret::new("sk-ant-admin01-1".to_owned())).unwrap();
    Connectors::new()
        .with_google(google(scratch, url))
        .with_anthropic(admin.with_base_url(url).unwrap())
        .with_linkedin(
            LinkedIn::new()
                .with_pause(std::time::Duration::ZERO)
                .with_base_url(url)
                .unwrap(),
        )
}

fn names(toolset: &tool_core::Toolset) -> Vec<&str> {
    toolset
        .tools()
        .iter()
        .map(|tool| tool.definition().name())
        .collect()
}

#[tokio::test]
async fn toolsets_have_tools_of_configured_services() {
    let (scratch, server) = (Scratch::new(), Server::replies([Reply::Close]).await);
    let all = connectors(&scratch, &server.url());

    assert_eq!(names(&standard(&all).unwrap()), NAMES);
    assert_eq!(names(&assistant(&all).unwrap()), NAMES);
    let google = google(&scratch, &server.url()).with_gmail_access(GmailAccess::ReadOnly);
    let some = Connectors::new().with_google(google);
    assert_eq!(
        names(&assistant(&some).unwrap()),
        [
            "linkedin_jobs",
            "linkedin_job_detail",
            "gmail_search",
            "gmail_read",
            "calendar_list_events",
            "calendar_create_event",
            "calendar_get_event"
        ]
    );
    let mut reading = NAMES.to_vec();
    reading.retain(|name| !matches!(*name, "gmail_send" | "anthropic_usage"));
    assert_eq!(names(&standard(&some).unwrap()), reading);
    let blank = GoogleClient::new(" ").with_secret(Secret::new("x".to_owned()));
    let none = Connectors::new().with_google(Google::new(blank, TokenFolder::new(scratch.path())));
    assert_eq!(names(&standard(&none).unwrap()), NAMES[..2]);
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn combined_toolset_has_order_of_document() {
    let scratch = Scratch::new();
    let mut base = tool_core::Toolset::named("assistant");
    for name in [
        // Tools of MCP servers come last, wherever they are.
        "whatsapp__send_message",
        "bash",
        "read_file",
        "write_file",
        "append_file",
        "web_fetch",
        "web_search",
    ] {
        let definition = tool_core::ToolDefinition::new(name, "Test.", json!({"type": "object"}));
        let tool = tool_core::DynamicTool::new(definition, |_, _| async {
            Ok(tool_core::ToolOutput::text(""))
        });
        base = base.with_tool(tool).unwrap();
    }

    let toolset = assistant_with(&base, &connectors(&scratch, "http://127.0.0.1:1")).unwrap();

    let mut expected = vec![
        "bash",
        "read_file",
        "write_file",
        "append_file",
        "linkedin_jobs",
        "linkedin_job_detail",
        "web_fetch",
    ];
    expected.extend(&NAMES[2..]);
    expected.extend(["web_search", "whatsapp__send_message"]);
    assert_eq!(names(&toolset), expected);
}

#[test]
fn assistant_tools_match_document() {
    let scratch = Scratch::new();
    let toolset = assistant(&connectors(&scratch, "http://127.0.0.1:1")).unwrap();

    let shown = toolset.tools().iter().map(|tool| {
        let definition = tool.definition();
        json!({
            "name": definition.name(),
            "description": definition.description(),
            "input_schema": definition.input_schema(),
        })
    });

    // The order of parameters counts, so compare the text.
    let expected: Value = serde_json::from_str(include_str!("tests/assistant.json")).unwrap();
    let shown = shown.collect::<Value>();
    assert_eq!(format!("{shown:#}"), format!("{expected:#}"));
}

#[tokio::test]
async fn hidden_parameters_reach_tool_without_warning() {
    let scratch = Scratch::new();
    let toolset = assistant(&connectors(&scratch, "http://127.0.0.1:1")).unwrap();
    let registry = Registry::builder().toolset(&toolset).unwrap().build();
    for (name, mut arguments, parameter, value) in [
        (
            "gmail_search",
            json!({"query": "a"}),
            "pageToken",
            json!("\n"),
        ),
        ("calendar_list_events", json!({}), "pageToken", json!("\n")),
        (
            "linkedin_jobs",
            json!({"keyword": "a"}),
            "offset",
            json!(991),
        ),
        (
            "anthropic_usage",
            json!({"action": "usage", "starting_at": "2026-11-02"}),
            "page",
            json!("\n"),
        ),
    ] {
        arguments[parameter] = value;

        let result = registry.execute(name, arguments).await;

        let error = result.error.unwrap();
        assert_eq!(error.parameter.as_deref(), Some(parameter), "{name}");
        assert_eq!(result.warnings, [""; 0], "{name}");
    }
}

#[tokio::test]
async fn shipped_tools_satisfy_laws() {
    let (scratch, server) = (
        Scratch::new(),
        Server::replies([Reply::error(400, &json!({}))]).await,
    );
    let all = connectors(&scratch, &server.url());
    for (toolset, is_closed) in [
        (standard(&all).unwrap(), true),
        (assistant(&all).unwrap(), false),
    ] {
        for tool in toolset.tools() {
            let laws = Laws::of(tool.clone());
            let laws = if is_closed { laws.closed() } else { laws };

            let broken = laws.check().await;

            assert!(
                broken.is_empty(),
                "{}: {broken:?}",
                tool.definition().name()
            );
        }
    }
}

#[tokio::test]
async fn writers_are_dangerous_and_require_approval() {
    let (scratch, server) = (Scratch::new(), Server::replies([Reply::Close]).await);
    let toolset = assistant(&connectors(&scratch, &server.url())).unwrap();
    for tool in toolset.tools() {
        let definition = tool.definition();
        let is_writer = matches!(definition.name(), "gmail_send" | "calendar_create_event");
        let risk = if is_writer {
            RiskLevel::Dangerous
        } else {
            RiskLevel::ReadOnly
        };
        assert_eq!(definition.risk(), risk, "{}", definition.name());
        assert!(definition.hints().open_world && !definition.hints().destructive);
    }
    let registry = Registry::builder()
        .policy(Policy::default())
        .toolset(&toolset)
        .unwrap()
        .build();
    for (name, arguments) in [
        (
            "gmail_send",
            json!({"to": "a@example.com", "subject": "s", "body": "b"}),
        ),
        (
            "calendar_create_event",
            json!({"summary": "s", "start": "2026-11-02"}),
        ),
    ] {
        let result = registry.execute(name, arguments).await;

        assert_eq!(
            result.error.unwrap().code.as_str(),
            "approval_denied",
            "{name}"
        );
    }
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn attendees_may_be_one_string() {
    let (scratch, server) = (
        Scratch::new(),
        Server::start(|request, _| Reply::json(&request.json())).await,
    );
    let google = google(&scratch, &server.url());
    let store = TokenFolder::new(scratch.path());
    let text = json!({
        "version": 1, "client_id": "id-1", "access_token": "access-1", "expires_at": "2099-01-01T00:00:00Z",
    });
    let text = Secret::new(text.to_string());
    store.put(&TokenKey::calendar("id-1"), &text).unwrap();
    let google = google.with_time_zone("UTC").unwrap();
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .toolset(&assistant(&Connectors::new().with_google(google)).unwrap())
        .unwrap()
        .build();

    let event = json!({
        "summary": "Tea", "start": "2026-11-02", "attendees": "Lovelace, Ada <ada@example.com>, b@example.org",
    });
    let result = registry.execute("calendar_create_event", event).await;

    assert!(result.success, "{result}");
    let body = server.received().pop().unwrap().json();
    assert_eq!(body["attendees"][0]["displayName"], "Lovelace, Ada");
    assert_eq!(body["attendees"][1]["email"], "b@example.org");
}

#[tokio::test]
async fn errors_name_shown_parameters() {
    let (scratch, server) = (Scratch::new(), Server::replies([Reply::Close]).await);
    let toolset = assistant(&connectors(&scratch, &server.url())).unwrap();
    let registry = Registry::builder().toolset(&toolset).unwrap().build();
    for (name, arguments, text) in [
        (
            "gmail_read",
            json!({"messageId": "../x"}),
            "`messageId` is not a valid ID.",
        ),
        (
            "calendar_list_events",
            json!({"timeMin": "soon"}),
            "`timeMin` is not a date or time.",
        ),
        (
            "calendar_get_event",
            json!({"eventId": ".."}),
            "`eventId` is not a valid ID.",
        ),
    ] {
        let result = registry.execute(name, arguments).await;

        assert_eq!(result.error.unwrap().message, text);
    }
    let result = registry
        .execute("gmail_search", json!({"query": "a"}))
        .await;
    assert_eq!(result.error.unwrap().code.as_str(), "sign_in_required");
}

#[tokio::test]
async fn requests_use_configured_proxy() {
    let proxy = Server::replies([Reply::error(404, &json!({}))]).await;
    let (scratch, url) = (Scratch::new(), "http://127.0.0.1:9");
    let all = connectors(&scratch, url);
    let linkedin = LinkedIn::new().with_pause(std::time::Duration::ZERO);
    let linkedin = linkedin.with_base_url(url).unwrap().with_proxy(proxy.url());
    let google = google(&scratch, url).with_proxy(proxy.url());
    let registry = Registry::builder()
        .toolset(&standard(&all.with_linkedin(linkedin).with_google(google)).unwrap())
        .unwrap()
        .build();
    let store = TokenFolder::new(scratch.path());
    let text = json!({
        "version": 1, "client_id": "id-1", "access_token": "access-1", "expires_at": "2099-01-01T00:00:00Z",
    });
    let text = Secret::new(text.to_string());
    store.put(&TokenKey::gmail("id-1"), &text).unwrap();
    for (name, arguments, path) in [
        ("linkedin_jobs", json!({"keyword": "a"}), "/jobs-guest/"),
        ("gmail_read", json!({"messageId": "m1"}), "/messages/m1"),
    ] {
        let seen = proxy.received().len();

        let _ = registry.execute(name, arguments).await;

        let received = proxy.received();
        assert_eq!(received.len(), seen + 1, "{name}");
        let address = &received[seen].path;
        assert!(
            address.starts_with(url) && address.contains(path),
            "{address}"
        );
    }
    let invalid = LinkedIn::new().with_proxy("not a proxy");
    assert!(standard(&Connectors::new().with_linkedin(invalid)).is_err());
}
