//! Tool that fetches one page as text.

mod output;

#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::Client;
use reqwest::header::HeaderValue;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::OnceCell;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use super::exchange::{Request, Settings};
use super::failure::{Failure, Problem};
use super::guard::AddressGuard;
use super::page::PageFormat;
use super::resolver::Resolver;
use crate::blocking::blocking;
use crate::timeout_range::TimeoutRange;
pub use output::WebFetchOutput;

/// Minimum time for the conversion to text, even if the fetch has used up the timeout.
const LEAST_CONVERSION: Duration = Duration::from_secs(2);

/// Page fetcher that returns text: HTML without hidden elements, JSON indented, other text
/// unchanged.
///
/// Sends a GET request without cookies, credentials, referrer or proxy, with the user agent of a
/// browser, and follows at most 5 redirects. An [`AddressGuard`] checks the URL before approval is
/// requested, each redirect, every resolved address, and the address of the connection. Limits: 10
/// seconds to connect, `timeout_seconds` (1 to 60) in total, 64 KB of headers, `max_bytes` of the
/// decompressed body. The last page is kept, so that a call with `offset` continues
/// it.
///
/// Requires the I/O and time drivers of the runtime.
///
/// # Errors
/// Returns `invalid_arguments` if the URL is not an http or https URL, the timeout is out of range,
/// or the offset is past the end; `url_forbidden` and `redirect_forbidden` if the guard rejects an
/// address; `invalid_redirect`, `redirect_loop`, `too_many_redirects`; `host_not_found`,
/// `connect_timeout`, `connection_refused`, `connection_failed`; `tls_error`;
/// `timeout`; `response_too_large`, `response_headers_too_large`,
/// `response_incomplete`, `invalid_response`, `invalid_content_encoding`; `not_text` for images,
/// archives and other binary content. An HTTP error status such as 404 is not an error: the page is
/// returned with it.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tools_builtin::web::WebFetch;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let input = serde_json::from_str(r#"{"url": "http://localhost:8080/"}"#)?;
/// let error = WebFetch::new().run(&ToolContext::test(), input).await.unwrap_err();
/// assert_eq!(error.code().as_str(), "url_forbidden");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct WebFetch {
    settings: Settings,
    client: OnceCell<Client>,
}

impl WebFetch {
    /// Creates a fetcher that reaches only the public Internet.
    pub fn new() -> Self {
        Self {
            settings: Settings::default(),
            client: OnceCell::new(),
        }
    }

    /// Sets the guard that checks all URLs.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::web::{AddressGuard, WebFetch};
    ///
    /// let guard = AddressGuard::new().allow_host("wiki.internal")?;
    /// let tool = WebFetch::new().with_guard(guard);
    /// # let _ = tool;
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_guard(mut self, guard: AddressGuard) -> Self {
        self.settings.guard = Arc::new(guard);
        self.reset()
    }

    /// Sets the resolver, for example one that uses a name server of yours. The default is that of
    /// the operating system. The guard checks all addresses that it returns.
    pub fn with_resolver(mut self, resolver: impl Resolver) -> Self {
        self.settings.resolver = Arc::new(resolver);
        self.reset()
    }

    /// Sets the user agent. The default is that of a browser. Returns `None` if the value is not a
    /// valid header.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::web::WebFetch;
    ///
    /// assert!(WebFetch::new().with_user_agent("example-agent/1.0").is_some());
    /// assert!(WebFetch::new().with_user_agent("two\nlines").is_none());
    /// ```
    pub fn with_user_agent(mut self, user_agent: &str) -> Option<Self> {
        self.settings.user_agent = HeaderValue::from_str(user_agent).ok()?;
        Some(self.reset())
    }

    /// Discards the client of the previous settings.
    fn reset(mut self) -> Self {
        self.client = OnceCell::new();
        self
    }

    async fn client(&self, cx: &ToolContext) -> Result<&Client, ToolError> {
        let settings = self.settings.clone();
        let make = || {
            // Loading the certificates of the system blocks.
            blocking(cx, move |_| {
                settings
                    .client()
                    .map_err(|error| Failure::Other(Problem::NoClient, Some(error)).into())
            })
        };
        self.client.get_or_try_init(make).await
    }
}

fn timeouts() -> TimeoutRange {
    TimeoutRange::new(1..=60)
}

impl Default for WebFetch {
    fn default() -> Self {
        Self::new()
    }
}

impl TypedTool for WebFetch {
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

    fn plan(&self, _cx: &ToolContext, input: &WebFetchInput) -> Result<CallPlan, ToolError> {
        timeouts().timeout(input.timeout_seconds)?;
        let guard = &self.settings.guard;
        // Here too, so that no person has to approve a URL that can't be fetched.
        let url = guard.admit(&input.url).map_err(Failure::Forbidden)?;
        // Pages are independent of each other, so name the page instead of nothing: undeclared dangerous calls wait.
        let plan = CallPlan::of(Self::RISK).uses(&*input.url);
        Ok(match url.host_str() {
            Some(host) => plan.connects_to(host),
            None => plan,
        })
    }

    fn timeout(&self) -> Option<Duration> {
        Some(timeouts().with_clean_up())
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let begun = Instant::now();
        let timeout = timeouts().timeout(input.timeout_seconds)?;
        let guard = self.settings.guard.as_ref();
        let request = Request {
            url: guard.admit(&input.url).map_err(Failure::Forbidden)?,
            client: self.client(cx).await?,
            guard,
            max_bytes: input.max_bytes,
            cuts: input.cut_long,
        };
        let fetched = request.fetch(timeout).await?;
        // A slow server may use up the time; what it sent is still worth converting.
        let deadline = (begun + timeout).max(Instant::now() + LEAST_CONVERSION);
        blocking(cx, move |cx| {
            WebFetchOutput::of(cx, input, fetched, deadline)
        })
        .await
    }

    fn render(output: &WebFetchOutput) -> String {
        output.with_notice(|more, next| {
            format!("[… {more} more characters; continue with offset {next}]")
        })
    }
}

/// Page to fetch, and the part to return.
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
    /// URL of the page, starting with http:// or https://.
    pub url: String,
    /// Maximum number of characters of the page's text to return.
    #[serde(default = "default_max_chars")]
    pub max_chars: NonZeroUsize,
    /// Number of characters to skip, to continue a truncated page.
    #[serde(default)]
    pub offset: usize,
    /// Format for HTML: plain text, or Markdown with link addresses.
    #[serde(default)]
    pub format: PageFormat,
    /// Timeout in seconds, including redirects.
    #[serde(default = "default_timeout_seconds")]
    #[schemars(range(min = 1, max = 60))]
    pub timeout_seconds: u64,
    /// Maximum size of the response in bytes, after decompression.
    #[serde(default = "default_max_bytes")]
    pub max_bytes: u64,
    /// Whether to truncate a longer response instead of failing.
    #[serde(default)]
    pub cut_long: bool,
}

impl WebFetchInput {
    /// Creates the input for a page, with the default options.
    pub(crate) fn of(url: String) -> Self {
        Self {
            url,
            max_chars: default_max_chars(),
            offset: 0,
            format: PageFormat::default(),
            timeout_seconds: default_timeout_seconds(),
            max_bytes: default_max_bytes(),
            cut_long: false,
        }
    }
}

pub(crate) fn default_max_chars() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(49_999)
}

pub(crate) fn default_timeout_seconds() -> u64 {
    30
}

fn default_max_bytes() -> u64 {
    2 * 1024 * 1024
}
