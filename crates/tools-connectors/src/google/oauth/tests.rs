use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use oauth2::{PkceCodeChallenge, PkceCodeVerifier};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tool_core::Secret;
use tool_test::Scratch;
use url::Url;

use super::Grant;
use super::tokens::text_of;
use super::*;
use crate::door::testing::{Received, Reply, Server};
use crate::door::{Deadline, Door, Problem, Secrets};
use crate::google::Tokens as _;

mod accounts;
#[cfg(target_os = "linux")]
mod browser;
mod files;
#[cfg(unix)]
mod processes;
mod refresh;
mod sign_in;

const CLIENT: &str = "client-1.apps.googleusercontent.com";

/// Steps of the user's browser after the URL was shown.
type Browse = fn(Url) -> futures::Steps;

mod futures {
    pub(super) type Steps = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;
}

#[derive(Debug)]
struct Browser {
    browse: Browse,
    shown: AtomicUsize,
}

#[async_trait]
impl SignInPrompt for Browser {
    async fn show(&self, _service: &str, url: &str) {
        self.shown.fetch_add(1, Ordering::Relaxed);
        tokio::spawn((self.browse)(url.parse().unwrap()));
    }
}

fn parameter(url: &Url, name: &str) -> String {
    let found = url.query_pairs().find(|(key, _)| key == name);
    found
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

/// Sends a request to the redirect address and returns the response.
async fn visit(url: &Url, host: Option<&str>, target: &str) -> String {
    let redirect: Url = parameter(url, "redirect_uri").parse().unwrap();
    let own = format!("127.0.0.1:{}", redirect.port().unwrap());
    let mut stream = TcpStream::connect(&own).await.unwrap();
    let request = format!(
        "GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n",
        host.unwrap_or(&own)
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response
}

fn consents(url: Url) -> futures::Steps {
    Box::pin(async move {
        let state = parameter(&url, "state");
        let challenge = parameter(&url, "code_challenge");
        for (host, target, status) in [
            (None, "/favicon.ico".to_owned(), "404"),
            (
                Some("evil.example:80"),
                format!("/?state={state}&code=x"),
                "404",
            ),
            (None, "/?state=wrong&code=x".to_owned(), "400"),
            (
                None,
                format!("/?state={state}&code=x&iss=https://evil.example"),
                "400",
            ),
        ] {
            assert!(
                visit(&url, host, &target)
                    .await
                    .starts_with(&format!("HTTP/1.1 {status}"))
            );
        }
        // The test server finds the challenge in the code.
        let page = visit(
            &url,
            None,
            &format!("/?state={state}&code=code-{challenge}"),
        )
        .await;
        assert!(
            page.contains("return to the application") && page.contains("no-store"),
            "{page}"
        );
        assert!(!page.contains(&challenge), "{page}");
    })
}

fn declines(url: Url) -> futures::Steps {
    Box::pin(async move {
        let state = parameter(&url, "state");
        visit(&url, None, &format!("/?state={state}&error=access_denied")).await;
    })
}

fn never(_: Url) -> futures::Steps {
    Box::pin(async {})
}

fn fields(request: &Received) -> Value {
    let pairs = url::form_urlencoded::parse(&request.body);
    let pairs = pairs.map(|(name, value)| (name.into_owned(), Value::from(value.into_owned())));
    Value::Object(pairs.collect())
}

/// Exchanges codes with a valid verifier, and refreshes `refresh-0`, `refresh-1` and so on.
fn authorize(request: &Received, count: usize) -> Reply {
    let fields = fields(request);
    assert_eq!(
        (&fields["client_id"], &fields["client_secret"]),
        (&json!(CLIENT), &json!("secret-1"))
    );
    if fields["grant_type"] == "authorization_code" {
        let digest = Sha256::digest(fields["code_verifier"].as_str().unwrap());
        let expected = format!("code-{}", BASE64_URL_SAFE_NO_PAD.encode(digest));
        assert_eq!(fields["code"], expected);
        assert!(
            fields["redirect_uri"]
                .as_str()
                .unwrap()
                .starts_with("http://127.0.0.1:")
        );
    } else {
        assert_eq!(fields["grant_type"], "refresh_token");
    }
    Reply::json(&json!({
        "access_token": format!("access-token-{count}"), "refresh_token": format!("refresh-token-{count}"),
        "expires_in": 3599, "scope": "a b", "token_type": "Bearer",
    }))
}

struct Setup {
    scratch: Scratch,
    server: Server,
    key: TokenKey,
}

impl Setup {
    async fn new(reply: impl Fn(&Received, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self {
            scratch: Scratch::new(),
            server: Server::start(reply).await,
            key: TokenKey::gmail(CLIENT),
        }
    }

    fn tokens(&self, way: SignIn) -> AccountTokens {
        self.tokens_with(way, |_| ())
    }

    fn tokens_with(&self, way: SignIn, change: impl FnOnce(&mut SignInSettings)) -> AccountTokens {
        account(&self.server.url(), self.scratch.path(), way, change)
    }

    fn path(&self) -> PathBuf {
        self.scratch
            .path()
            .join(".gmail-tokens")
            .join(self.key.file_name())
    }

    /// Stores a grant whose access token is valid for `seconds`.
    fn store(&self, access: &str, seconds: i64) {
        let grant = Grant {
            access_token: Secret::new(access.to_owned()),
            refresh_token: Some(Secret::new("refresh-token-x".to_owned())),
            expires_at: Timestamp::now() + SignedDuration::from_secs(seconds),
            scopes: Vec::new(),
        };
        let text = text_of(&grant, CLIENT).unwrap();
        TokenFolder::new(self.scratch.path())
            .put(&self.key, &text)
            .unwrap();
    }

    fn stored(&self) -> Value {
        serde_json::from_slice(&fs::read(self.path()).unwrap()).unwrap()
    }
}

/// Returns the tokens in a directory, which the service at `url` refreshes.
fn account(
    url: &str,
    folder: &Path,
    way: SignIn,
    change: impl FnOnce(&mut SignInSettings),
) -> AccountTokens {
    account_in(url, Arc::new(TokenFolder::new(folder)), way, change)
}

/// Returns the tokens in a store.
fn account_in(
    url: &str,
    store: Arc<dyn TokenStore>,
    way: SignIn,
    change: impl FnOnce(&mut SignInSettings),
) -> AccountTokens {
    let client = GoogleClient::new(CLIENT).with_secret(Secret::new("secret-1".to_owned()));
    let door = Door::new("Gmail", Secrets::default(), None).unwrap();
    let mut settings = SignInSettings {
        way,
        service: "Gmail",
        scopes: vec!["a", "b"],
        port: 0,
        patience: Duration::from_secs(20),
    };
    change(&mut settings);
    let flow = OAuthFlow::new(client, GoogleEndpoints::at(url).unwrap(), &door);
    AccountTokens::new(flow, store, TokenKey::gmail(CLIENT), settings)
}

async fn token(tokens: &AccountTokens) -> Result<String, Problem> {
    let token = tokens
        .token(Deadline::after(Duration::from_secs(15)), None)
        .await;
    token.map(Secret::into_exposed)
}

fn code(problem: Problem) -> String {
    problem.into_error("Gmail").code().as_str().to_owned()
}

fn browser(browse: Browse) -> Arc<Browser> {
    Arc::new(Browser {
        browse,
        shown: AtomicUsize::new(0),
    })
}

#[tokio::test]
async fn signs_in_and_stores_tokens_privately() {
    let setup = Setup::new(authorize).await;
    let tokens = setup.tokens(SignIn::Printing(browser(consents)));

    assert_eq!(token(&tokens).await.unwrap(), "access-token-0");
    assert_eq!(token(&tokens).await.unwrap(), "access-token-0");

    assert_eq!(setup.server.received().len(), 1);
    let stored = setup.stored();
    assert_eq!(
        (&stored["refresh_token"], &stored["scopes"]),
        (&json!("refresh-token-0"), &json!(["a", "b"]))
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(setup.path()), 0o600);
        assert_eq!(mode(setup.scratch.path().join(".gmail-tokens")), 0o700);
    }
    let again = setup.tokens(SignIn::Disabled);
    assert_eq!(token(&again).await.unwrap(), "access-token-0");
}

#[test]
fn url_has_challenge_and_no_secret() {
    let door = Door::new("Gmail", Secrets::default(), None).unwrap();
    let client = GoogleClient::new(CLIENT).with_secret(Secret::new("secret-1".to_owned()));
    let flow = OAuthFlow::new(client, GoogleEndpoints::google().unwrap(), &door);

    let settings = SignInSettings {
        way: SignIn::Disabled,
        service: "Gmail",
        scopes: vec!["a", "b"],
        port: 4711,
        patience: Duration::from_secs(20),
    };

    let started = flow.start(4711, &settings).unwrap();

    let url: Url = started.url.parse().unwrap();
    assert!(
        started
            .url
            .starts_with("https://accounts.google.com/o/oauth2/v2/auth?")
    );
    for (name, value) in [
        ("client_id", CLIENT),
        ("redirect_uri", "http://127.0.0.1:4711"),
        ("response_type", "code"),
        ("scope", "a b"),
        ("code_challenge_method", "S256"),
        ("access_type", "offline"),
        ("prompt", "consent"),
    ] {
        assert_eq!(parameter(&url, name), value);
    }
    assert_eq!(parameter(&url, "code_challenge").len(), 43);
    assert_eq!(parameter(&url, "state"), started.state);
    assert!(!started.url.contains("secret-1"));
}

// Appendix B of RFC 7636.
#[test]
fn challenge_is_digest_of_verifier() {
    let verifier = PkceCodeVerifier::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());

    let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier);

    assert_eq!(
        challenge.as_str(),
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    );
}

#[tokio::test]
async fn declined_sign_in_is_reported() {
    let setup = Setup::new(authorize).await;

    let problem = token(&setup.tokens(SignIn::Printing(browser(declines))))
        .await
        .unwrap_err();

    assert_eq!(code(problem), "sign_in_denied");
    assert!(setup.server.received().is_empty() && !setup.path().exists());
}

#[tokio::test]
async fn call_does_not_end_sign_in() {
    let late: Browse = |url| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(300)).await;
            consents(url).await;
        })
    };
    let setup = Setup::new(authorize).await;
    let prompt = browser(late);
    let tokens = setup.tokens(SignIn::Printing(prompt.clone()));

    let early = tokens
        .token(Deadline::after(Duration::from_millis(150)), None)
        .await
        .unwrap_err();
    let later = token(&tokens).await;

    assert_eq!(code(early), "sign_in_pending");
    assert_eq!(later.unwrap(), "access-token-0");
    assert_eq!(prompt.shown.load(Ordering::Relaxed), 1);
}

/// Prompt that keeps the URL.
#[derive(Debug)]
struct Keeps(Arc<Mutex<Option<Url>>>);
#[async_trait]
impl SignInPrompt for Keeps {
    async fn show(&self, _service: &str, url: &str) {
        *self.0.lock().unwrap() = Some(url.parse().unwrap());
    }
}

#[tokio::test]
async fn dropped_account_closes_listener() {
    let setup = Setup::new(authorize).await;
    let seen: Arc<Mutex<Option<Url>>> = Arc::default();
    let tokens = setup.tokens(SignIn::Printing(Arc::new(Keeps(seen.clone()))));
    let pending = tokens
        .token(Deadline::after(Duration::from_millis(200)), None)
        .await;
    assert_eq!(code(pending.unwrap_err()), "sign_in_pending");

    drop(tokens);
    tokio::time::sleep(Duration::from_millis(100)).await;

    let url = seen.lock().unwrap().clone().unwrap();
    let redirect: Url = parameter(&url, "redirect_uri").parse().unwrap();
    assert!(
        TcpStream::connect(("127.0.0.1", redirect.port().unwrap()))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn pasted_address_signs_in() {
    #[derive(Debug, Default)]
    struct Pastes(Mutex<(usize, Option<Url>)>);
    #[async_trait]
    impl SignInPrompt for Pastes {
        async fn show(&self, _service: &str, url: &str) {
            self.0.lock().unwrap().1 = Some(url.parse().unwrap());
        }
        async fn pasted(&self) -> Option<String> {
            let mut state = self.0.lock().unwrap();
            state.0 += 1;
            let url = state.1.clone().unwrap();
            let (own, challenge) = (parameter(&url, "state"), parameter(&url, "code_challenge"));
            Some(match state.0 {
                1 => "not an address".to_owned(),
                _ => format!("http://127.0.0.1:1/?state={own}&code=code-{challenge}"),
            })
        }
    }
    let setup = Setup::new(authorize).await;

    let tokens = setup.tokens(SignIn::Pasted(Arc::<Pastes>::default()));

    assert_eq!(token(&tokens).await.unwrap(), "access-token-0");
}
