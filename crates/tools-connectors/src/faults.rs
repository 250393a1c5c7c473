//! Faults of services that echo every secret, against every operation.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use tool_core::approval::Policy;
use tool_core::{Redactor, Registry, Secret, ToolContext};
use tool_test::Scratch;
use tools_builtin::repository::RepositorySource as _;

use crate::anthropic::AnthropicAdmin;
use crate::door::testing::{Received, Reply, Server};
use crate::github::{GitHubConnection, GitHubSource};
use crate::google::{
    Google, GoogleClient, GoogleEndpoints, TokenFolder, TokenKey, TokenStore as _, unique_id,
};
use crate::linkedin::LinkedIn;
use crate::{Connectors, toolsets};

/// Every operation with valid arguments, and the column of its codes in [`FAULTS`].
#[rustfmt::skip]
const CALLS: [(&str, &str, usize); 9] = [
    ("gmail_search", r#"{"query": "a"}"#, 0),
    ("gmail_read", r#"{"messageId": "m1"}"#, 0),
    ("calendar_list_events", r#"{"timeZone": "UTC"}"#, 0),
    ("calendar_get_event", r#"{"eventId": "e1"}"#, 0),
    ("gmail_send", r#"{"to": "a@example.com", "subject": "s", "body": "b"}"#, 1),
    ("calendar_create_event", r#"{"summary": "s", "start": "2026-11-02", "timeZone": "UTC"}"#, 1),
    ("anthropic_usage", r#"{"action": "cost", "starting_at": "2026-11-01"}"#, 2),
    ("linkedin_jobs", r#"{"keyword": "a"}"#, 3),
    ("linkedin_job_detail", r#"{"url": "3812345678"}"#, 4),
];

/// Fault of a service.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// Status with the reason of Google's error.
    Status(u16, &'static str),
    Redirect(&'static str),
    ErrorWithStatus200,
    Html,
    EchoInAllFields,
    WrongTypes,
    TenThousandLevels,
    GzipBomb,
    NotUtf8,
    NoResponse,
    CutHead,
    CutBody,
    NotHttp,
    Slow,
}

use Fault::*;

const INVALID: &str = "invalid_response";
const LIMITED: &str = "rate_limited";
const MISSING: &str = "message_not_found event_not_found";
const UNKNOWN: &str = "outcome_unknown";
const DOWN: [&str; 5] = [
    "unavailable",
    UNKNOWN,
    "unavailable",
    "unavailable",
    "unavailable",
];
const GARBAGE: [&str; 5] = [INVALID, UNKNOWN, INVALID, INVALID, INVALID];
const BUSY: [&str; 5] = [LIMITED; 5];

/// Faults, and the codes of operations of Google that read and write, of Anthropic, and of LinkedIn's
/// search and postings. `-` is a success.
const FAULTS: [(Fault, [&str; 5]); 25] = [
    (
        Status(400, "badRequest"),
        ["failed invalid_arguments", "failed", "failed", "-", INVALID],
    ),
    (
        Status(401, "authError"),
        [
            "sign_in_required",
            "sign_in_required",
            "not_authorized",
            INVALID,
            INVALID,
        ],
    ),
    (
        Status(403, "insufficientPermissions"),
        [
            "scope_missing",
            "scope_missing",
            "permission_denied",
            LIMITED,
            LIMITED,
        ],
    ),
    (
        Status(403, "rateLimitExceeded"),
        [LIMITED, LIMITED, "permission_denied", LIMITED, LIMITED],
    ),
    (
        Status(403, "quotaExceeded"),
        [LIMITED, LIMITED, "permission_denied", LIMITED, LIMITED],
    ),
    (
        Status(403, "SERVICE_DISABLED"),
        [
            "service_disabled",
            "service_disabled",
            "permission_denied",
            LIMITED,
            LIMITED,
        ],
    ),
    (
        Status(403, "forbidden"),
        [
            "permission_denied",
            "permission_denied",
            "permission_denied",
            LIMITED,
            LIMITED,
        ],
    ),
    (
        Status(404, "notFound"),
        [MISSING, MISSING, INVALID, "-", "job_not_found"],
    ),
    (
        Status(410, "deleted"),
        [MISSING, MISSING, INVALID, "-", "job_not_found"],
    ),
    (
        Status(418, "teapot"),
        ["failed", "failed", INVALID, INVALID, INVALID],
    ),
    (Status(429, ""), BUSY),
    (Status(500, ""), DOWN),
    (Status(503, ""), DOWN),
    (Redirect("http://127.0.0.1:1/"), GARBAGE),
    (Redirect("?"), GARBAGE),
    (
        ErrorWithStatus200,
        ["- invalid_response", UNKNOWN, INVALID, INVALID, INVALID],
    ),
    (Html, GARBAGE),
    (
        EchoInAllFields,
        [
            "- invalid_response",
            "- outcome_unknown",
            "-",
            INVALID,
            INVALID,
        ],
    ),
    (WrongTypes, GARBAGE),
    (TenThousandLevels, GARBAGE),
    (
        GzipBomb,
        [
            "response_too_large invalid_response",
            UNKNOWN,
            "response_too_large",
            "response_too_large",
            "response_too_large",
        ],
    ),
    (
        NotUtf8,
        ["- invalid_response", UNKNOWN, INVALID, INVALID, INVALID],
    ),
    (NoResponse, DOWN),
    (CutBody, DOWN),
    (NotHttp, DOWN),
];

/// Faults that take longer.
const SLOW: [(Fault, [&str; 5]); 2] = [
    (CutHead, DOWN),
    (Slow, ["timeout", UNKNOWN, "timeout", "timeout", "timeout"]),
];

/// 20 MB of zeros, packed.
static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![0; 20 * 1024 * 1024]).unwrap();
    encoder.finish().unwrap()
});

impl Fault {
    /// Returns the response, which contains `echo` in its head and body.
    fn reply(self, echo: &[String]) -> Reply {
        let text = echo.join(" ");
        let first = &echo[0];
        let headers = format!("X-Echo: {first}\r\nrequest-id: {first}\r\n");
        let error = |reason: &str| {
            let errors = json!([{"reason": reason, "domain": text}]);
            json!({"error": {"message": text, "errors": errors}, "note": echo}).to_string()
        };
        let ok = |body: String| Reply::status(200, &headers, body);
        match self {
            Status(status, reason) => Reply::status(status, &headers, error(reason)),
            Redirect(target) => {
                let location = format!("{headers}Location: {target}{first}\r\n");
                Reply::status(302, &location, text)
            }
            ErrorWithStatus200 => ok(error("x")),
            Html => ok(format!("<html>{text}</html>")),
            EchoInAllFields => ok(json!({
                "messages": [{"id": text}], "items": [{"id": text, "summary": text}], "data": [text], "id": text,
                "snippet": text, "payload": {"headers": [{"name": "Subject", "value": text}], "filename": text},
            })
            .to_string()),
            WrongTypes => ok(json!({
                "messages": 5, "items": "x", "data": {}, "id": [], "payload": true, "note": text,
            })
            .to_string()),
            TenThousandLevels => ok(format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))),
            GzipBomb => Reply::status(200, "Content-Encoding: gzip\r\n", &*BOMB),
            NotUtf8 => Reply::status(200, &headers, b"{\"id\": \"\xff\xfe\"}"),
            NoResponse => Reply::Close,
            CutHead => Reply::Raw(b"HTTP/1.1 200 OK\r\nContent-Le".to_vec()),
            CutBody => {
                Reply::Raw(format!("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{text}").into())
            }
            NotHttp => Reply::Raw(text.into_bytes()),
            Slow => Reply::Drip(format!("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{text}").into()),
        }
    }
}

/// Secrets of one run, each with a random part.
struct Canaries {
    access: String,
    refresh: String,
    client: String,
    key: String,
    github: String,
}

impl Canaries {
    fn new() -> Self {
        let random = |prefix: &str| format!("{prefix}{}", unique_id(None));
        Self {
            access: random("ya29."),
            refresh: random("1//"),
            client: random("GOCSPX-"),
            key: random("sk-ant-admin01-"),
            github: random("ghp_"),
        }
    }

    /// Returns the secrets in six encodings, those of GitHub last. The last characters of base64 depend on
    /// what follows, so `is_cut` omits them.
    fn encoded(&self, is_cut: bool) -> Vec<String> {
        let all = [
            &self.access,
            &self.refresh,
            &self.client,
            &self.key,
            &self.github,
        ];
        let encoded = all.into_iter().flat_map(|secret| {
            let mut hex = String::new();
            for byte in secret.bytes() {
                write!(hex, "{byte:02x}").unwrap();
            }
            let cut = |text: String| {
                if is_cut {
                    text[..text.len() / 4 * 4 - 4].to_owned()
                } else {
                    text
                }
            };
            [
                secret.clone(),
                Value::from(secret.as_str())
                    .to_string()
                    .trim_matches('"')
                    .to_owned(),
                url::form_urlencoded::byte_serialize(secret.as_bytes()).collect(),
                cut(BASE64_STANDARD_NO_PAD.encode(secret)),
                cut(BASE64_URL_SAFE_NO_PAD.encode(secret)),
                hex,
            ]
        });
        encoded.collect()
    }
}

/// Services at one address, with short delays and tokens that expire at this time.
struct Services {
    registry: Registry,
    repository: GitHubSource,
    shown: String,
    _scratch: Scratch,
}

impl Services {
    fn at(url: &str, canaries: &Canaries, expires_at: &str) -> Self {
        let scratch = Scratch::new();
        let folder = TokenFolder::new(scratch.path());
        let text = json!({
            "version": 1, "client_id": "client-1", "access_token": canaries.access,
            "refresh_token": canaries.refresh, "expires_at": expires_at, "scopes": [],
        });
        let text = Secret::new(text.to_string());
        for key in [TokenKey::gmail("client-1"), TokenKey::calendar("client-1")] {
            folder.put(&key, &text).unwrap();
        }
        let redactor = Redactor::new();
        let client =
            GoogleClient::new("client-1").with_secret(Secret::new(canaries.client.clone()));
        let google = Google::new(client, folder)
            .with_endpoints(GoogleEndpoints::at(url).unwrap())
            .with_redactor(redactor.clone());
        let admin = AnthropicAdmin::new(&Secret::new(canaries.key.clone())).unwrap();
        let admin = admin.with_base_url(url).unwrap();
        let linkedin = LinkedIn::new().with_pause(Duration::ZERO);
        let connectors = Connectors::new()
            .with_google(google)
            .with_anthropic(admin.with_redactor(redactor.clone()))
            .with_linkedin(linkedin.with_base_url(url).unwrap());
        let connection = GitHubConnection::new("octo", "hello")
            .with_base_url(url)
            .with_token(Secret::new(canaries.github.clone()));
        let repository = GitHubSource::new(connection);
        Self {
            registry: Registry::builder()
                .policy(Policy::allow_all())
                .redactor(redactor)
                .toolset(&toolsets::standard(&connectors).unwrap())
                .unwrap()
                .build(),
            shown: format!("{connectors:?}{repository:?}"),
            repository,
            _scratch: scratch,
        }
    }

    /// Calls every operation, passes its code to `check`, and returns all that was shown.
    async fn call_all(self, check: impl Fn(&str, usize, &str, &str)) -> String {
        let mut shown = self.shown;
        for (tool, arguments, column) in CALLS {
            let result = self.registry.execute(tool, arguments).await;

            let code = result
                .error
                .as_ref()
                .map_or("-", |error| error.code.as_str());
            let outcome = result.metadata.extra.get("outcome").and_then(Value::as_str);
            check(tool, column, code, outcome.unwrap_or_default());
            let data = serde_json::to_string(&result).unwrap();
            write!(shown, "{result}{result:?}{data}").unwrap();
        }
        let opened = self.repository.open(&ToolContext::test()).await;
        write!(shown, "{opened:?}").unwrap();
        shown
    }
}

/// Writer that keeps the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const VALID: &str = "2099-01-01T00:00:00Z";
const EXPIRED: &str = "2001-01-01T00:00:00Z";

/// Runs every operation against a fault. A refresh of tokens succeeds if `expires_at` is [`VALID`].
async fn run(fault: Fault, codes: [&str; 5], expires_at: &str, log: &Log) {
    let canaries = Canaries::new();
    // A service knows its own secrets only.
    let echo = canaries.encoded(false);
    let (own, of_github) = echo.split_at(echo.len() - 6);
    let (reply, reply_of_github) = (fault.reply(own), fault.reply(of_github));
    let is_valid = expires_at == VALID;
    let server = Server::start(move |request: &Received, _| {
        if is_valid && request.route().ends_with("/token") {
            return Reply::json(&json!({
                "access_token": "access-token-2", "token_type": "Bearer", "expires_in": 3600,
            }));
        }
        if request.route().starts_with("/repos/") {
            reply_of_github.clone()
        } else {
            reply.clone()
        }
    })
    .await;
    let services = Services::at(&server.url(), &canaries, expires_at);

    let mut shown = services
        .call_all(|tool, column, code, outcome| {
            if !is_valid {
                return;
            }
            let expected = codes[column];
            assert!(
                expected.split(' ').any(|expected| expected == code),
                "{tool} with {fault:?}: {code}"
            );
            let is_unknown = outcome == "unknown";
            assert_eq!(is_unknown, code == UNKNOWN, "{tool} with {fault:?}");
        })
        .await;

    for request in server.received() {
        for (place, secret) in canaries.encoded(true).iter().enumerate() {
            let is_in_url = request.path.contains(secret.as_str());
            assert!(!is_in_url, "{fault:?}: the URL has secret {place}");
        }
    }
    shown.push_str(&String::from_utf8_lossy(&log.0.lock().unwrap()));
    log.0.lock().unwrap().clear();
    for (place, secret) in canaries.encoded(true).iter().enumerate() {
        if let Some(at) = shown.find(secret.as_str()) {
            let around = shown.get(at.saturating_sub(200)..at);
            panic!("{fault:?} shows secret {place}: {around:?}");
        }
    }
}

/// `CANARY_RUNS` sets the number of rounds.
#[tokio::test]
async fn faults_have_codes_and_show_no_secret() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let rounds = std::env::var("CANARY_RUNS").map_or(1, |runs| runs.parse().unwrap());
    for _ in 0..rounds {
        for (fault, codes) in FAULTS {
            for expires_at in [VALID, EXPIRED] {
                run(fault, codes, expires_at, &log).await;
            }
        }
    }
}

#[tokio::test]
async fn slow_and_cut_responses_have_codes() {
    // At once, because most of the time is waiting.
    let mut runs = tokio::task::JoinSet::new();
    for (fault, codes) in SLOW {
        runs.spawn(async move { run(fault, codes, VALID, &Log::default()).await });
    }
    runs.join_all().await;
}

#[tokio::test]
async fn unreachable_services_receive_nothing() {
    // Nothing can listen at port 0, and the resolver rejects labels of more than 63 characters.
    let unknown = format!("https://{}.invalid", "a".repeat(64));
    for url in ["http://127.0.0.1:0", &unknown] {
        for expires_at in [VALID, EXPIRED] {
            let services = Services::at(url, &Canaries::new(), expires_at);

            let shown = services
                .call_all(|tool, column, code, outcome| {
                    assert_eq!(code, "unavailable", "{tool} at {url}");
                    let expected = if column == 1 { "not_done" } else { "" };
                    assert_eq!(outcome, expected, "{tool} at {url}");
                })
                .await;

            assert!(shown.contains("GitHub is unreachable"), "{shown}");
        }
    }
}
