//! A small application of `assistant`, against services that are imitated on loopback.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_test::Scratch;
use toolwright::agent::ScriptedModel;
use toolwright::connectors::google::{GoogleClient, SignIn, SignInPrompt};
use toolwright::mcp::McpServerConfig;
use toolwright::prelude::*;
use toolwright::providers::Message;
use toolwright::{AssistantConfig, BaseUrls, Secret, assistant};
use wiremock::matchers::{header, method, path, path_regex};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::program::program;

const PAGE: &str = "https://console.developers.google.com/apis/api/calendar-json.googleapis.com/overview?project=42";

/// User who consents in the browser.
#[derive(Debug)]
struct User;

#[async_trait]
impl SignInPrompt for User {
    async fn show(&self, _service: &str, url: &str) {
        let url = url.to_owned();
        std::thread::spawn(move || visit(&url));
    }
}

/// Follows the redirect of the sign-in.
pub(crate) fn visit(url: &str) {
    let parameter = |name: &str| {
        let (_, rest) = url.split_once(&format!("{name}=")).unwrap();
        rest.split('&').next().unwrap().to_owned()
    };
    let host = parameter("redirect_uri").replace("http%3A%2F%2F", "");
    let host = host.replace("%3A", ":");
    let mut stream = TcpStream::connect(&host).unwrap();
    let state = parameter("state");
    write!(
        stream,
        "GET /?state={state}&code=c HTTP/1.1\r\nHost: {host}\r\n\r\n"
    )
    .unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
}

/// Imitates Google, Anthropic, Brave and LinkedIn.
pub(crate) async fn services() -> MockServer {
    let server = MockServer::start().await;
    let json = |body: Value| ResponseTemplate::new(200).set_body_json(body);
    let tokens = json!({"access_token": "access-canary", "refresh_token": "refresh-canary", "expires_in": 3600, "token_type": "Bearer"});
    let disabled = json!({"error": {"code": 403, "message": "disabled", "details": [{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED",
        "metadata": {"activationUrl": PAGE}}]}});
    let web = json!({"web": {"results": [{"title": "Tea", "url": "https://tea.example/", "description": "Leaves"}]}});
    let posting = "<h2 class='top-card-layout__title'>Tea taster</h2><div class='show-more-less-html__markup'>Taste tea.</div>";
    let mounted = [
        Mock::given(path("/oauth2/token")).respond_with(json(tokens)),
        Mock::given(path("/gmail/v1/users/me/messages"))
            .and(header("authorization", "Bearer access-canary"))
            .respond_with(json(json!({"resultSizeEstimate": 0}))),
        Mock::given(path_regex("^/calendar/v3/"))
            .respond_with(ResponseTemplate::new(403).set_body_json(disabled)),
        Mock::given(path("/v1/organizations/usage_report/messages"))
            .and(header("x-api-key", "sk-ant-admin-canary"))
            .respond_with(json(json!({"data": [{"starting_at": "2026-11-01T00:00:00Z", "results": []}], "has_more": false}))),
        Mock::given(path("/res/v1/web/search"))
            .and(header("X-Subscription-Token", "BSA-canary"))
            .respond_with(json(web)),
        Mock::given(path("/jobs-guest/jobs/api/jobPosting/3812345678"))
            .and(method("GET"))
            .respond_with(ResponseTemplate::new(200).set_body_raw(posting, "text/html")),
    ];
    for mock in mounted {
        mock.mount(&server).await;
    }
    server
}

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

fn config(scratch: &Scratch, url: &str) -> AssistantConfig {
    let served = [
        "serve",
        "--stdio",
        "--contract",
        "cli_agent",
        "--workspace",
        ".",
    ];
    let toolbox = program("toolbox").to_str().unwrap().replace('$', "$$");
    let url = Some(url.to_owned());
    AssistantConfig {
        working_directory: scratch.path().join("work"),
        google_client: Some(GoogleClient::new("client").with_secret(secret("secret-canary"))),
        anthropic_admin_api_key: Some(secret(" sk-ant-admin-canary\n")),
        brave_api_key: Some(secret("BSA-canary")),
        mcp_servers: vec![
            (
                "missing".to_owned(),
                McpServerConfig::stdio("no-such-program", [""; 0]),
            ),
            ("files".to_owned(), McpServerConfig::stdio(toolbox, served)),
        ],
        sign_in: SignIn::Printing(Arc::new(User)),
        token_directory: Some(scratch.path().join("tokens")),
        base_urls: BaseUrls {
            google: url.clone(),
            anthropic: url.clone(),
            linkedin: url.clone(),
            brave: url,
        },
        ..AssistantConfig::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_call_creates_all_tools_in_documented_order() {
    let scratch = Scratch::new().file("work/notes.txt", "Buy tea.\n");
    let server = services().await;

    let assistant = assistant(config(&scratch, &server.uri())).await.unwrap();

    let definitions = assistant.registry.list();
    let names: Vec<&str> = definitions.iter().map(ToolDefinition::name).collect();
    let own = [
        "bash",
        "read_file",
        "write_file",
        "append_file",
        "linkedin_jobs",
        "linkedin_job_detail",
        "web_fetch",
        "gmail_search",
        "gmail_read",
        "gmail_send",
        "calendar_list_events",
        "calendar_create_event",
        "calendar_get_event",
        "anthropic_usage",
        "web_search",
    ];
    assert_eq!(names[..own.len()], own);
    let others = &names[own.len()..];
    assert!(
        !others.is_empty() && others.iter().all(|name| name.starts_with("files__")),
        "{others:?}"
    );

    let script = [
        ModelReply::calls([
            ToolCall::new("read_file", json!({"path": "notes.txt"})),
            ToolCall::new("gmail_search", json!({"query": "is:unread"})),
            ToolCall::new("calendar_list_events", json!({})),
            ToolCall::new(
                "anthropic_usage",
                json!({"action": "usage", "starting_at": "2026-11-01"}),
            ),
            ToolCall::new("web_search", json!({"query": "tea"})),
            ToolCall::new(
                "linkedin_job_detail",
                json!({"url": "https://www.linkedin.com/jobs/view/3812345678/"}),
            ),
            // Nobody approves it, so nothing is sent.
            ToolCall::new(
                "gmail_send",
                json!({"to": "ada@example.org", "subject": "Tea", "body": "At four?"}),
            ),
            ToolCall::new("files__list_dir", json!({"path": "."})),
        ]),
        ModelReply::text("Done."),
    ];
    let agent = AgentLoop::new(assistant.registry.clone(), ScriptedModel::new(script));
    let outcome = agent.run("What is new?").await;

    assert_eq!(outcome.reply.as_deref(), Some("Done."));
    let messages = outcome.transcript.messages().iter();
    let texts: Vec<String> = messages
        .filter_map(|message| match message {
            Message::Tool { results } => Some(results),
            _ => None,
        })
        .flatten()
        .map(|result| result.content.to_text())
        .collect();
    for (text, part) in texts.iter().zip([
        "Buy tea.",
        "No messages",
        "The API of Google Calendar is disabled",
        "2026-11-01",
        "https://tea.example/",
        "Taste tea.",
        "approv",
        "approv",
    ]) {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(texts.len(), 8);
    assert!(!texts.concat().contains("canary"), "{texts:?}");
    // One token directory for all programs, with a file per service.
    for service in [".gmail-tokens", ".calendar-tokens"] {
        assert!(scratch.has(&format!("tokens/{service}")), "{service}");
    }
}

#[tokio::test]
async fn blank_credentials_add_no_tools() {
    let scratch = Scratch::new();
    let blank = AssistantConfig {
        working_directory: scratch.path().to_owned(),
        google_client: Some(GoogleClient::new(" ")),
        anthropic_admin_api_key: Some(secret(" ")),
        brave_api_key: Some(secret("\n")),
        ..AssistantConfig::default()
    };

    let assistant = assistant(blank).await.unwrap();

    let definitions = assistant.registry.list();
    let names: Vec<&str> = definitions.iter().map(ToolDefinition::name).collect();
    let always = [
        "bash",
        "read_file",
        "write_file",
        "append_file",
        "linkedin_jobs",
        "linkedin_job_detail",
        "web_fetch",
    ];
    assert_eq!(names, always);
    assert!(assistant.google.is_none());
}
