//! Faults of services, against every operation.

mod canaries;
mod connection;

use std::io::Write as _;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::approval::Policy;
use tool_core::{Redactor, Registry, Secret};
use tool_test::Scratch;

use crate::anthropic::AnthropicAdmin;
use crate::door::testing::{Received, Reply, Server, quick};
use crate::google::{
    Google, GoogleClient, GoogleEndpoints, TokenFolder, TokenKey, TokenStore as _,
};
use crate::linkedin::LinkedIn;
use crate::{Connectors, toolsets};

/// Every operation with valid arguments.
pub(crate) const CALLS: [(&str, &str); 9] = [
    ("gmail_search", r#"{"query": "a"}"#),
    ("gmail_read", r#"{"id": "m1"}"#),
    (
        "gmail_send",
        r#"{"to": "a@example.com", "subject": "s", "body": "b"}"#,
    ),
    ("calendar_list_events", r#"{"time_zone": "UTC"}"#),
    (
        "calendar_create_event",
        r#"{"summary": "s", "start": "2026-11-02", "time_zone": "UTC"}"#,
    ),
    ("calendar_get_event", r#"{"event_id": "e1"}"#),
    (
        "anthropic_usage",
        r#"{"action": "cost", "starting_at": "2026-11-01"}"#,
    ),
    ("linkedin_jobs", r#"{"keyword": "a"}"#),
    ("linkedin_job_detail", r#"{"url": "3812345678"}"#),
];

const VALID: &str = "2099-01-01T00:00:00Z";
const EXPIRED: &str = "2001-01-01T00:00:00Z";

/// Fault of a service.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    /// Status with the reason of Google's error and further headers.
    Status(u16, &'static str, &'static str),
    Redirect(&'static str),
    /// Body with status 200.
    Body(&'static str, Body),
    /// The connection is closed at this point.
    Cut(&'static str, Cut),
    Slow(&'static str, Cut),
}

/// Body of a response with status 200.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body {
    Error,
    Html,
    Echo,
    WrongTypes,
    Deep,
    Bomb,
    NotUtf8,
}

/// Point at which a response ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cut {
    Nothing,
    Head,
    Body,
    NotHttp,
}

pub(crate) const FAULTS: [Fault; 32] = [
    Fault::Status(400, "badRequest", ""),
    Fault::Status(401, "authError", ""),
    Fault::Status(403, "insufficientPermissions", ""),
    Fault::Status(403, "rateLimitExceeded", ""),
    Fault::Status(403, "userRateLimitExceeded", ""),
    Fault::Status(403, "quotaExceeded", ""),
    Fault::Status(403, "dailyLimitExceeded", ""),
    Fault::Status(403, "accessNotConfigured", ""),
    Fault::Status(403, "SERVICE_DISABLED", ""),
    Fault::Status(403, "forbidden", ""),
    Fault::Status(404, "notFound", ""),
    Fault::Status(410, "deleted", ""),
    Fault::Status(418, "teapot", ""),
    Fault::Status(429, "", ""),
    Fault::Status(429, "", "Retry-After: 30\r\n"),
    Fault::Status(429, "", "Retry-After: 31536000\r\n"),
    Fault::Status(
        429,
        "",
        "Date: Mon, 02 Nov 2026 10:00:00 GMT\r\nRetry-After: Mon, 02 Nov 2026 11:00:00 GMT\r\n",
    ),
    Fault::Status(500, "", ""),
    Fault::Status(502, "", ""),
    Fault::Status(503, "", ""),
    Fault::Status(504, "", ""),
    Fault::Redirect("http://127.0.0.1:1/"),
    Fault::Redirect("https://example.com/"),
    Fault::Redirect("?"),
    Fault::Body("error with status 200", Body::Error),
    Fault::Body("HTML for JSON", Body::Html),
    Fault::Body("echo in all fields", Body::Echo),
    Fault::Body("10,000 levels", Body::Deep),
    Fault::Body("gzip bomb", Body::Bomb),
    Fault::Body("not UTF-8", Body::NotUtf8),
    Fault::Cut("no response", Cut::Nothing),
    Fault::Cut("not HTTP", Cut::NotHttp),
];

/// Faults that take longer or contain no echo.
pub(crate) const SLOW: [Fault; 5] = [
    Fault::Body("wrong types", Body::WrongTypes),
    Fault::Cut("cut head", Cut::Head),
    Fault::Cut("cut body", Cut::Body),
    Fault::Slow("dripped head", Cut::Head),
    Fault::Slow("dripped body", Cut::Body),
];

impl Fault {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Status(status, reason, headers) => format!("{status} {reason} {headers}"),
            Self::Redirect(target) => format!("redirect to {target}"),
            Self::Body(name, _) | Self::Cut(name, _) | Self::Slow(name, _) => (*name).to_owned(),
        }
    }

    /// Returns the response, which contains `echo` in its head and body.
    pub(crate) fn reply(&self, echo: &[String]) -> Reply {
        let text = echo.join(" ");
        let first = echo.first().cloned().unwrap_or_default();
        let headers = format!("X-Echo: {first}\r\nrequest-id: {first}\r\n");
        let error = |reason: &str| {
            let errors = json!([{"reason": reason, "domain": text}]);
            json!({"error": {"message": text, "errors": errors}, "note": echo}).to_string()
        };
        match self {
            Self::Status(status, reason, more) => {
                Reply::status(*status, &format!("{headers}{more}"), error(reason))
            }
            Self::Redirect(target) => {
                let location = format!("{headers}Location: {target}{first}\r\n");
                Reply::status(302, &location, text)
            }
            Self::Body(_, body) => body.reply(&headers, &text, &error("x")),
            Self::Cut(_, cut) => match cut.bytes(&text) {
                bytes if bytes.is_empty() => Reply::Close,
                bytes => Reply::Raw(bytes),
            },
            Self::Slow(_, cut) => Reply::Drip(cut.bytes(&text)),
        }
    }
}

impl Body {
    fn reply(self, headers: &str, text: &str, error: &str) -> Reply {
        let body = match self {
            Self::Error => error.to_owned(),
            Self::Html => format!("<html>{text}</html>"),
            Self::Echo => json!({
                "messages": [{"id": text}], "items": [{"id": text, "summary": text}], "data": [text], "id": text,
                "snippet": text, "payload": {"headers": [{"name": "Subject", "value": text}], "filename": text},
            })
            .to_string(),
            Self::WrongTypes => {
                json!({"messages": 5, "items": "x", "data": {}, "id": [], "payload": true}).to_string()
            }
            Self::Deep => format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)),
            Self::Bomb => {
                return Reply::status(200, "Content-Encoding: gzip\r\n", &*BOMB);
            }
            Self::NotUtf8 => return Reply::status(200, headers, b"{\"id\": \"\xff\xfe\"}"),
        };
        Reply::status(200, headers, body)
    }
}

/// 20 MB of zeros, packed.
static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![0; 20 * 1024 * 1024]).unwrap();
    encoder.finish().unwrap()
});

impl Cut {
    fn bytes(self, text: &str) -> Vec<u8> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Head => b"HTTP/1.1 200 OK\r\nContent-Le".to_vec(),
            Self::Body => {
                format!("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{text}").into_bytes()
            }
            Self::NotHttp => text.as_bytes().to_vec(),
        }
    }
}

/// Returns all services at one address, with short delays.
pub(crate) fn connectors(
    url: &str,
    client: GoogleClient,
    folder: TokenFolder,
    key: &str,
    redactor: &Redactor,
) -> Connectors {
    let google = Google::new(client, folder)
        .with_endpoints(GoogleEndpoints::at(url).unwrap())
        .with_redactor(redactor.clone())
        .with_quick_requests();
    let admin = AnthropicAdmin::new(&Secret::new(key.to_owned())).unwrap();
    let admin = admin.with_base_url(url).unwrap().with_pace(quick());
    let linkedin = LinkedIn::new().with_quick_requests(Duration::ZERO);
    Connectors::new()
        .with_google(google)
        .with_anthropic(admin.with_redactor(redactor.clone()))
        .with_linkedin(linkedin.with_base_url(url).unwrap())
}

/// Returns the codes that an operation may return, or no codes if it succeeds.
fn expected(fault: &Fault, tool: &str) -> &'static [&'static str] {
    let is_writer = matches!(tool, "gmail_send" | "calendar_create_event");
    match tool {
        "linkedin_jobs" | "linkedin_job_detail" => of_linkedin(fault, tool),
        "anthropic_usage" => of_anthropic(fault),
        _ => match fault {
            Fault::Status(400, ..) if tool == "gmail_search" => &["invalid_arguments"],
            Fault::Status(400 | 418, ..) => &["failed"],
            Fault::Status(401, ..) => &["sign_in_required"],
            Fault::Status(403, "insufficientPermissions", _) => &["scope_missing"],
            Fault::Status(403, "accessNotConfigured" | "SERVICE_DISABLED", _) => {
                &["service_disabled"]
            }
            Fault::Status(403, "forbidden", _) => &["permission_denied"],
            Fault::Status(403 | 429, ..) => &["rate_limited"],
            Fault::Status(404 | 410, ..) if tool.starts_with("gmail") => &["message_not_found"],
            Fault::Status(404 | 410, ..) => &["event_not_found"],
            Fault::Body(_, Body::Echo) if is_writer => &["", "outcome_unknown"],
            _ if is_writer => &["outcome_unknown"],
            Fault::Status(..) | Fault::Cut(..) => &["unavailable"],
            Fault::Slow(..) => &["timeout"],
            Fault::Body(_, Body::Bomb) if tool != "gmail_read" => &["response_too_large"],
            Fault::Body(_, Body::Bomb) => &["response_too_large", "invalid_response"],
            Fault::Redirect(_) | Fault::Body(_, Body::Html | Body::Deep | Body::WrongTypes) => {
                &["invalid_response"]
            }
            // Unknown members are ignored, and missing ones are empty.
            Fault::Body(..) => &["", "invalid_response"],
        },
    }
}

fn of_anthropic(fault: &Fault) -> &'static [&'static str] {
    match fault {
        Fault::Status(400, ..) => &["failed"],
        Fault::Status(401, ..) => &["not_authorized"],
        Fault::Status(403, ..) => &["permission_denied"],
        Fault::Status(429, ..) => &["rate_limited"],
        Fault::Status(500.., ..) | Fault::Cut(..) => &["unavailable"],
        Fault::Slow(..) => &["timeout"],
        Fault::Body(_, Body::Bomb) => &["response_too_large"],
        Fault::Body(_, Body::Echo) => &[""],
        _ => &["invalid_response"],
    }
}

fn of_linkedin(fault: &Fault, tool: &str) -> &'static [&'static str] {
    match fault {
        Fault::Status(400 | 404 | 410, ..) if tool == "linkedin_jobs" => &[""],
        Fault::Status(404 | 410, ..) if tool == "linkedin_job_detail" => &["job_not_found"],
        Fault::Status(403 | 429, ..) => &["rate_limited"],
        Fault::Status(500.., ..) | Fault::Cut(..) => &["unavailable"],
        Fault::Slow(..) => &["timeout"],
        Fault::Body(_, Body::Bomb) => &["response_too_large"],
        _ => &["invalid_response"],
    }
}

/// Returns all tools, with their services at one address, and the directory of the tokens.
async fn registry(url: &str, expires_at: &str) -> (Scratch, Registry) {
    let scratch = Scratch::new();
    let folder = TokenFolder::new(scratch.path());
    let text = json!({
        "version": 1, "client_id": "client-1", "access_token": "access-token-1", "refresh_token": "refresh-token-1",
        "expires_at": expires_at, "scopes": [],
    });
    let text = Secret::new(text.to_string());
    for key in [TokenKey::gmail("client-1"), TokenKey::calendar("client-1")] {
        folder.put(&key, &text).await.unwrap();
    }
    let client = GoogleClient::new("client-1");
    let connectors = connectors(url, client, folder, "sk-ant-admin01-1", &Redactor::new());
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .toolset(&toolsets::standard(&connectors).unwrap())
        .unwrap()
        .build();
    (scratch, registry)
}

async fn check(fault: &Fault) {
    let reply = fault.reply(&["x".to_owned()]);
    let server = Server::start(move |request: &Received, _| {
        if request.route().ends_with("/token") {
            return Reply::json(&json!({
                "access_token": "access-token-2", "token_type": "Bearer", "expires_in": 3600,
            }));
        }
        reply.clone()
    })
    .await;
    let (_scratch, registry) = registry(&server.url(), VALID).await;
    for (tool, arguments) in CALLS {
        let result = registry.execute(tool, arguments).await;

        let error = result.error.as_ref();
        let code = error.map_or("", |error| error.code.as_str());
        assert!(
            expected(fault, tool).contains(&code),
            "{tool} with {}: {result}",
            fault.name()
        );
        let outcome = result.metadata.extra.get("outcome").and_then(Value::as_str);
        match tool {
            "gmail_send" | "calendar_create_event" => {
                let is_unknown = outcome == Some("unknown");
                assert_eq!(is_unknown, code == "outcome_unknown", "{tool}: {result}");
            }
            _ => assert_eq!(outcome, None),
        }
    }
}

#[tokio::test]
async fn each_fault_has_its_code_for_each_operation() {
    for fault in FAULTS {
        check(&fault).await;
    }
}

#[tokio::test]
async fn slow_and_cut_responses_have_codes() {
    // At once, because most of the time is waiting.
    let mut checks = tokio::task::JoinSet::new();
    for fault in SLOW {
        checks.spawn(async move { check(&fault).await });
    }
    checks.join_all().await;
}
