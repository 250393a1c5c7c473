//! Faulty services that echo every secret, with a search for the secrets in all that is captured.

use std::fmt::Write as _;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::approval::Policy;
use tool_core::{Redactor, Registry, Secret};
use tool_test::Scratch;
use tools_builtin::repository::{RepositoryQuery, RepositorySource};

use super::{CALLS, FAULTS, Fault, connectors};
use crate::door::testing::Server;
use crate::github::{GitHubConnection, GitHubSource};
use crate::google::{GoogleClient, TokenFolder, TokenKey, TokenStore as _};
use crate::toolsets;

/// Secrets of one run, each with a random part.
struct Canaries {
    access: String,
    refresh: String,
    secret: String,
    key: String,
    token: String,
}

impl Canaries {
    fn new() -> Self {
        let random = |prefix: &str| format!("{prefix}{}", crate::google::hex_id(None).unwrap());
        Self {
            access: random("ya29."),
            refresh: random("1//"),
            secret: random("GOCSPX-"),
            key: random("sk-ant-admin01-"),
            token: random("ghp_"),
        }
    }

    /// Returns the secrets of the registry's services.
    fn of_registry(&self) -> Vec<&str> {
        vec![&self.access, &self.refresh, &self.secret, &self.key]
    }

    /// Returns the secrets in six encodings. The last characters of base64 depend on what follows, so
    /// `is_cut` omits them.
    fn encoded(secrets: &[&str], is_cut: bool) -> Vec<String> {
        use base64::Engine as _;
        use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};

        let mut encoded = Vec::new();
        for secret in secrets {
            let mut hex = String::new();
            for byte in secret.bytes() {
                write!(hex, "{byte:02x}").unwrap();
            }
            let start = |text: String| {
                let end = if is_cut {
                    text.len() / 4 * 4 - 4
                } else {
                    text.len()
                };
                text[..end].to_owned()
            };
            encoded.extend([
                (*secret).to_owned(),
                Value::from(*secret)
                    .to_string()
                    .trim_matches('"')
                    .to_owned(),
                url::form_urlencoded::byte_serialize(secret.as_bytes()).collect(),
                start(BASE64_STANDARD_NO_PAD.encode(secret)),
                start(BASE64_URL_SAFE_NO_PAD.encode(secret)),
                hex,
            ]);
        }
        encoded
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

/// Stores valid tokens for both services.
async fn store(folder: &TokenFolder, canaries: &Canaries, expires: &str) {
    let text = json!({
        "version": 1, "client_id": "client-1", "access_token": canaries.access, "refresh_token": canaries.refresh,
        "expires_at": expires, "scopes": [],
    });
    let text = Secret::new(text.to_string());
    folder
        .put(&TokenKey::gmail("client-1"), &text)
        .await
        .unwrap();
    folder
        .put(&TokenKey::calendar("client-1"), &text)
        .await
        .unwrap();
}

/// Runs every operation against one fault and returns all that was captured, and the number of calls.
async fn captured(fault: &Fault, expires: &str, canaries: &Canaries, log: &Log) -> (String, usize) {
    let echo = Canaries::encoded(&canaries.of_registry(), false);
    let reply = fault.reply(&echo);
    let server = Server::replies([reply]).await;
    let echo = Canaries::encoded(&[&canaries.token], false);
    let github = Server::replies([fault.reply(&echo)]).await;
    let scratch = Scratch::new();
    let folder = TokenFolder::new(scratch.path());
    store(&folder, canaries, expires).await;
    let redactor = Redactor::new();
    let client = GoogleClient::new("client-1").with_secret(Secret::new(canaries.secret.clone()));
    let connectors = connectors(&server.url(), client, folder, &canaries.key, &redactor);
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .redactor(redactor)
        .timeout(Duration::from_secs(5))
        .toolset(&toolsets::standard(&connectors).unwrap())
        .unwrap()
        .build();
    let mut text = format!("{connectors:?}");
    for (tool, arguments) in CALLS {
        let result = registry.execute(tool, arguments).await;
        write!(
            text,
            "{result}{result:?}{}",
            serde_json::to_string(&result).unwrap()
        )
        .unwrap();
    }
    let connection = GitHubConnection::new("octo", "hello")
        .with_base_url(github.url())
        .with_token(Secret::new(canaries.token.clone()));
    let source = GitHubSource::quick(connection);
    let cx = tool_core::ToolContext::test();
    let listed = source.list_folder(&cx, ".", 10).await;
    let read = source.read_file(&cx, "a", 10).await;
    let found = source.search(&cx, &RepositoryQuery::new("a")).await;
    write!(text, "{source:?}{listed:?}{read:?}{found:?}").unwrap();
    text.push_str(&String::from_utf8_lossy(&log.0.lock().unwrap()));
    (text, CALLS.len() + 3)
}

/// Each run has its own secrets. `CANARY_RUNS` sets the number of rounds over all faults.
#[tokio::test]
async fn no_secret_is_shown_under_faults() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let rounds = std::env::var("CANARY_RUNS")
        .ok()
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(1);
    let mut runs = 0;
    for _ in 0..rounds {
        for fault in FAULTS {
            for expires in ["2099-01-01T00:00:00Z", "2001-01-01T00:00:00Z"] {
                let canaries = Canaries::new();

                let (text, calls) = captured(&fault, expires, &canaries, &log).await;

                runs += calls;
                assert!(text.len() > 1000);
                let mut secrets = canaries.of_registry();
                secrets.push(&canaries.token);
                for (place, secret) in Canaries::encoded(&secrets, true).iter().enumerate() {
                    let found = text.find(secret.as_str());
                    let around =
                        found.map(|at| text.get(at.saturating_sub(200)..at).unwrap_or_default());
                    assert!(
                        found.is_none(),
                        "fault {}, secret {place}: {around:?}",
                        fault.name()
                    );
                }
                log.0.lock().unwrap().clear();
            }
        }
    }
    println!("secrets found in {runs} faulty runs: 0");
}
