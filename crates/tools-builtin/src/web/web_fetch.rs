//! Fetching one page as text.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use reqwest::Client;
use reqwest::header::HeaderValue;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::OnceCell;
use tool_core::approval::Assessment;
use tool_core::{Engine, ErrorCode, Hints, Limits, RiskLevel, ToolContext, ToolError};

use self::document::Document;
use super::client::Settings;
use super::exchange::Request;
use super::failure::Failure;
use super::guard::AddressGuard;
use super::page::{PageFormat, PageKey, RecentPages};
use super::resolver::Resolver;
use crate::blocking::blocking;
use crate::timeout_range::TimeoutRange;

mod document;
mod output;
#[cfg(test)]
mod tests;

pub use output::WebFetchOutput;

/// How long making text of a page may take when the fetch has used up its time.
const LEAST_CONVERSION: Duration = Duration::from_secs(2);

/// Which page to fetch, and which part of it.
///
/// # Examples
/// ```
/// use tools_builtin::web::WebFetchInput;
///
/// let input: WebFetchInput = serde_json::from_str(r#"{"url": "https://example.com"}"#)?;
/// assert_eq!((input.max_chars.get(), input.offset, input.timeout_seconds), (50_000, 0, 30));
/// assert_eq!(input.max_bytes, 2 * 1024 * 1024);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct WebFetchInput {
    /// URL of the page, beginning with http:// or https://.
    pub url: String,
    /// The most characters of the page's text to return.
    #[serde(default = "default_max_chars")]
    pub max_chars: NonZeroUsize,
    /// How many characters to pass over, to go on where a page was cut; it is not fetched again for that.
    #[serde(default)]
    pub offset: usize,
    /// How HTML is shown: as plain text, or as Markdown with the addresses of links.
    #[serde(default)]
    pub format: PageFormat,
    /// Seconds after which to give up, redirects and all.
    #[serde(default = "default_timeout_seconds")]
    #[schemars(range(min = 1, max = 60))]
    pub timeout_seconds: u64,
    /// The most bytes of a response, unpacked.
    #[serde(default = "default_max_bytes")]
    pub max_bytes: u64,
    /// Whether a longer response is cut, in place of refused.
    #[serde(default)]
    pub cut_long: bool,
}

/// Fetches a page and gives it as text: HTML without what a reader does not see, JSON indented, other text as it is.
///
/// The request is a GET without cookies, credentials, referrer or proxy, and says it comes from a browser. At most 5 redirects are
/// followed. An [`AddressGuard`] judges the URL before anybody is asked to approve, each redirect, every address that a name is resolved
/// to, and the address that was connected to. Limits: 10 seconds to connect, `timeout_seconds` (1 to 60) in all, 64 KB of headers,
/// `max_bytes` of the unpacked body. The last 8 pages are kept for 10 minutes, so that `offset` reads on in what was fetched.
///
/// The runtime needs its I/O and time drivers.
///
/// # Errors
/// `invalid_arguments` for what is no URL of http or https, a timeout out of the range, and an offset past the end; `url_forbidden` and
/// `redirect_forbidden` by the guard; `invalid_redirect`, `redirect_loop`, `too_many_redirects`; `host_not_found`, `connect_timeout`,
/// `connection_refused`, `connection_failed`; `tls_error`, and `tls_unavailable` without the feature `tls-aws-lc`; `timeout`;
/// `response_too_large`, `response_headers_too_large`, `response_incomplete`, `invalid_response`, `invalid_content_encoding`; `not_text`
/// for images, archives and the like. A status such as 404 is no error: the page comes with it.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tools_builtin::web::WebFetch;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let input = serde_json::from_str(r#"{"url": "http://localhost:8080/"}"#)?;
/// let error = WebFetch::new().run(&ToolContext::test(), input, &Limits::default()).await.unwrap_err();
/// assert_eq!(error.code().as_str(), "url_forbidden");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct WebFetch {
    settings: Settings,
    client: OnceCell<Client>,
    recent: Arc<RecentPages<Document>>,
    timeouts: TimeoutRange,
}

impl WebFetch {
    /// Creates an engine that reaches the public Internet alone.
    #[must_use]
    pub fn new() -> Self {
        Self {
            settings: Settings::default(),
            client: OnceCell::new(),
            recent: Arc::default(),
            timeouts: TimeoutRange::new(1..=60),
        }
    }

    /// Lets this guard decide which URLs may be fetched.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::web::{AddressGuard, WebFetch};
    ///
    /// let guard = AddressGuard::new().allow_host("wiki.internal")?;
    /// let engine = WebFetch::new().with_guard(guard);
    /// # let _ = engine;
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_guard(mut self, guard: AddressGuard) -> Self {
        self.settings.guard = Arc::new(guard);
        self.made_anew()
    }

    /// Looks names up by this resolver, in place of the operating system's.
    #[must_use]
    pub fn with_resolver(mut self, resolver: impl Resolver) -> Self {
        self.settings.resolver = Arc::new(resolver);
        self.made_anew()
    }

    /// Says who asks, in place of a browser. `None` for a text that no header can hold.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::web::WebFetch;
    ///
    /// assert!(WebFetch::new().with_user_agent("example-agent/1.0").is_some());
    /// assert!(WebFetch::new().with_user_agent("two\nlines").is_none());
    /// ```
    #[must_use]
    pub fn with_user_agent(mut self, user_agent: &str) -> Option<Self> {
        self.settings.user_agent = HeaderValue::from_str(user_agent).ok()?;
        Some(self.made_anew())
    }

    /// Gives servers so long to take a connection, the look-up of the name and the handshake of TLS included.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.connect_timeout = timeout;
        self.made_anew()
    }

    /// Takes timeouts of so many seconds. A longer one than 60 also needs another schema for `timeout_seconds` in the presentation.
    #[must_use]
    pub fn with_timeout_seconds(mut self, seconds: RangeInclusive<u64>) -> Self {
        self.timeouts = TimeoutRange::new(seconds);
        self
    }

    /// Trusts the servers that a certificate vouches for, beside those that the system trusts: one in DER, or some in PEM.
    ///
    /// # Errors
    /// [`InvalidCertificate`](super::InvalidCertificate) for bytes that are none. What only looks like one fails each fetch as
    /// `unavailable`.
    #[cfg(feature = "tls-aws-lc")]
    pub fn with_root_certificate(
        mut self,
        certificate: &[u8],
    ) -> Result<Self, super::InvalidCertificate> {
        self.settings.trust(certificate)?;
        Ok(self.made_anew())
    }

    /// Nothing that was made or fetched by other settings is used.
    fn made_anew(mut self) -> Self {
        self.client = OnceCell::new();
        self.recent = Arc::default();
        self
    }

    async fn client(&self, cx: &ToolContext) -> Result<&Client, ToolError> {
        let settings = self.settings.clone();
        let make = || {
            // Reading what the system trusts blocks.
            blocking(cx, move |_| {
                settings
                    .client()
                    .map_err(|error| Failure::NoClient(error).into())
            })
        };
        self.client.get_or_try_init(make).await
    }

    async fn fetch(&self, cx: &ToolContext, input: &WebFetchInput) -> Result<Document, ToolError> {
        let begun = Instant::now();
        let timeout = self.timeouts.timeout(input.timeout_seconds)?;
        let guard = self.settings.guard.as_ref();
        let request = Request {
            url: guard.admit(&input.url).map_err(Failure::Forbidden)?,
            client: self.client(cx).await?,
            guard,
            max_bytes: input.max_bytes,
            cuts: input.cut_long,
        };
        let fetched = request.fetch(timeout).await?;
        let deadline = (begun + timeout).max(Instant::now() + LEAST_CONVERSION);
        let (url, format) = (input.url.clone(), input.format);
        let document = blocking(cx, move |_| {
            Ok(Document::read(url, &fetched, format, deadline))
        })
        .await?;
        self.recent.keep(
            key(input),
            document.clone(),
            document.bytes(),
            Instant::now(),
        );
        Ok(document)
    }
}

impl Default for WebFetch {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Engine for WebFetch {
    type Input = WebFetchInput;
    type Output = WebFetchOutput;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn hints(&self) -> Hints {
        Hints {
            destructive: false,
            open_world: true,
            ..Hints::of(Self::RISK)
        }
    }

    fn check(&self, input: &WebFetchInput) -> Result<(), ToolError> {
        self.timeouts.timeout(input.timeout_seconds)?;
        match self
            .settings
            .guard
            .judge(&input.url)
            .map_err(Failure::Forbidden)
        {
            Err(failure) => Some(ToolError::from(failure))
                .filter(|error| *error.code() == ErrorCode::InvalidArguments)
                .map_or(Ok(()), Err),
            Ok(()) => Ok(()),
        }
    }

    fn assess(&self, input: &WebFetchInput) -> Result<Assessment, ToolError> {
        let guard = &self.settings.guard;
        guard.judge(&input.url).map_err(Failure::Forbidden)?;
        Ok(Assessment::default())
    }

    fn timeout(&self) -> Option<Duration> {
        Some(self.timeouts.with_clean_up())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: WebFetchInput,
        _limits: &Limits,
    ) -> Result<WebFetchOutput, ToolError> {
        let kept = match input.offset {
            0 => None,
            _ => self.recent.get(&key(&input), Instant::now()),
        };
        let document = match kept {
            Some(document) => document,
            None => self.fetch(cx, &input).await?,
        };
        document.output(cx, &input)
    }

    fn render(output: &WebFetchOutput) -> String {
        output.with_notice(|more, next| {
            format!("[… {more} characters more; go on with offset {next}]")
        })
    }
}

fn key(input: &WebFetchInput) -> PageKey {
    PageKey {
        url: input.url.clone(),
        format: input.format,
        max_bytes: input.max_bytes,
    }
}

fn default_max_chars() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(49_999)
}

fn default_timeout_seconds() -> u64 {
    30
}

fn default_max_bytes() -> u64 {
    2 * 1024 * 1024
}
