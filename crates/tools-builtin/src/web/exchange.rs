//! Bounded fetch of a URL, including redirects, with a client that has no feature to bypass the
//! guard: it uses no proxy, keeps no cookies, and follows no redirects by itself.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{
    ACCEPT, ACCEPT_LANGUAGE, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION,
};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, retry};
use url::Url;

use super::failure::{Failure, Problem};
use super::guard::AddressGuard;
use super::page::sniff;
use super::resolver::{GuardedResolver, Resolver, SystemResolver};

/// Maximum size of the response headers in bytes.
pub(super) const MAX_HEADER_BYTES: u32 = 64 * 1024;
/// Maximum number of response headers. More than servers send, and few enough to preallocate.
pub(super) const MAX_HEADERS: usize = 4096;
/// Maximum number of redirects.
const MAX_REDIRECTS: usize = 5;
/// Number of bytes needed to detect the content type.
const SNIFF_BYTES: usize = 1024;

/// URL to fetch, and limits.
#[derive(Debug)]
pub(super) struct Request<'r> {
    pub(super) client: &'r Client,
    pub(super) guard: &'r AddressGuard,
    pub(super) url: Url,
    /// Maximum size of the body in bytes, after decompression.
    pub(super) max_bytes: u64,
    /// Whether a longer body is truncated instead of rejected.
    pub(super) cuts: bool,
}

/// Response of a fetch.
#[derive(Debug)]
pub(super) struct FetchResponse {
    pub(super) final_url: Url,
    pub(super) is_redirected: bool,
    pub(super) status: StatusCode,
    pub(super) content_type: Option<String>,
    pub(super) body: Vec<u8>,
    pub(super) is_cut: bool,
}

impl Request<'_> {
    /// Fetches the URL, with a timeout that covers all redirects and the body.
    pub(super) async fn fetch(self, within: Duration) -> Result<FetchResponse, Failure> {
        // One timeout for everything: with one per request, a chain of slow redirects could take six times as long.
        let fetched = tokio::time::timeout(within, self.follow()).await;
        fetched.unwrap_or(Err(Failure::Timeout(within)))
    }

    async fn follow(self) -> Result<FetchResponse, Failure> {
        // Check it again, although the tool has done so: this function must be safe regardless of its caller.
        self.guard
            .check_url(&self.url)
            .map_err(Failure::Forbidden)?;
        let mut seen = vec![self.url.clone()];
        let mut url = self.url.clone();
        loop {
            let is_redirected = seen.len() > 1;
            let response = self.ask(&url).await.map_err(|failure| match failure {
                Failure::Forbidden(refusal) if is_redirected => Failure::RedirectForbidden(refusal),
                failure => failure,
            })?;
            let Some(next) = redirect(&url, &response)? else {
                return self.read(response, url, is_redirected).await;
            };
            self.guard
                .check_url(&next)
                .map_err(Failure::RedirectForbidden)?;
            if seen.contains(&next) {
                return Err(Problem::RedirectLoop.into());
            }
            if seen.len() > MAX_REDIRECTS {
                return Err(Problem::TooManyRedirects.into());
            }
            seen.push(next.clone());
            url = next;
        }
    }

    async fn ask(&self, url: &Url) -> Result<Response, Failure> {
        let sent = self.client.get(url.clone()).send().await;
        let response = sent.map_err(Failure::of_request)?;
        // Check the address of the connection, regardless of the resolver.
        if let Some(remote) = response.remote_addr() {
            let host = url.host_str().unwrap_or_default();
            self.guard
                .check_address(host, remote.ip())
                .map_err(Failure::Forbidden)?;
        }
        if header_bytes(response.headers()) > u64::from(MAX_HEADER_BYTES) {
            return Err(Problem::HeadersTooLarge.into());
        }
        Ok(response)
    }

    async fn read(
        &self,
        response: Response,
        final_url: Url,
        is_redirected: bool,
    ) -> Result<FetchResponse, Failure> {
        let status = response.status();
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type
            .map(|value| String::from_utf8_lossy(value.as_bytes().trim_ascii()).into_owned())
            .filter(|value| !value.is_empty());
        check_encoding(response.headers())?;
        let kind = content_type.as_deref();
        if let Some(what) = kind.and_then(sniff::by_type) {
            return Err(Failure::NotText(what));
        }
        let declared = response.content_length();
        if !self.cuts && declared.is_some_and(|declared| declared > self.max_bytes) {
            return Err(Failure::TooLarge(self.max_bytes));
        }
        let (body, is_cut) = self.body(response, kind).await?;
        Ok(FetchResponse {
            final_url,
            is_redirected,
            status,
            content_type,
            body,
            is_cut,
        })
    }

    /// Returns the body up to the limit, and whether it was truncated.
    async fn body(
        &self,
        mut response: Response,
        content_type: Option<&str>,
    ) -> Result<(Vec<u8>, bool), Failure> {
        let limit = usize::try_from(self.max_bytes).unwrap_or(usize::MAX);
        let (mut body, mut is_known) = (Vec::new(), false);
        // The chunks are decompressed: a few kilobytes can expand to gigabytes, but not at once.
        while let Some(chunk) = response.chunk().await.map_err(Failure::of_body)? {
            body.extend_from_slice(&chunk);
            // As soon as it can be known, so that a large binary file isn't fetched completely.
            if !is_known && body.len() >= SNIFF_BYTES {
                is_known = true;
                check_text(&body, content_type)?;
            }
            if body.len() > limit {
                return self.too_long(body, limit);
            }
        }
        if !is_known {
            check_text(&body, content_type)?;
        }
        Ok((body, false))
    }

    fn too_long(&self, mut body: Vec<u8>, limit: usize) -> Result<(Vec<u8>, bool), Failure> {
        if !self.cuts {
            return Err(Failure::TooLarge(self.max_bytes));
        }
        body.truncate(limit);
        Ok((body, true))
    }
}

fn check_text(body: &[u8], content_type: Option<&str>) -> Result<(), Failure> {
    match sniff::by_bytes(body, content_type) {
        Some(what) => Err(Failure::NotText(what)),
        None => Ok(()),
    }
}

/// Returns the target of a redirect, or `None` for any other response.
fn redirect(from: &Url, response: &Response) -> Result<Option<Url>, Failure> {
    let redirects = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    if !redirects.contains(&response.status()) {
        return Ok(None);
    }
    // Without a target, the body is all there is, and it often has a link.
    let Some(location) = response.headers().get(LOCATION) else {
        return Ok(None);
    };
    let location = std::str::from_utf8(location.as_bytes()).map_err(|_| Problem::BadRedirect)?;
    let next = from.join(location).map_err(|_| Problem::BadRedirect)?;
    Ok(Some(next))
}

fn header_bytes(headers: &HeaderMap) -> u64 {
    let lengths = headers
        .iter()
        // 4 bytes for the colon, the space and the end of the line.
        .map(|(name, value)| (name.as_str().len() + value.len() + 4) as u64);
    lengths.sum()
}

/// Rejects encodings that the client has not decoded, because showing the bytes would be worse than an error.
fn check_encoding(headers: &HeaderMap) -> Result<(), Failure> {
    let encodings = headers.get_all(CONTENT_ENCODING).iter();
    let mut encodings = encodings.map(|encoding| encoding.as_bytes().trim_ascii());
    let is_plain =
        |encoding: &[u8]| encoding.is_empty() || encoding.eq_ignore_ascii_case(b"identity");
    if encodings.all(is_plain) {
        return Ok(());
    }
    Err(Problem::BadEncoding.into())
}

/// User agent that many sites require.
const USER_AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const ACCEPTED: &str = "text/html,application/xhtml+xml,application/json;q=0.9,text/plain;q=0.9,application/xml;q=0.8,*/*;q=0.5";

/// Settings of the client.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) guard: Arc<AddressGuard>,
    pub(super) resolver: Arc<dyn Resolver>,
    pub(super) user_agent: HeaderValue,
    pub(super) connect_timeout: Duration,
    #[cfg(test)]
    pub(super) roots: Vec<reqwest::Certificate>,
}

impl Settings {
    pub(super) fn client(&self) -> reqwest::Result<Client> {
        let resolver = GuardedResolver {
            guard: Arc::clone(&self.guard),
            resolver: Arc::clone(&self.resolver),
        };
        let builder = Client::builder()
            // A proxy would resolve names without the guard.
            .no_proxy()
            // `exchange` follows redirects itself, so that each target passes the guard.
            .redirect(Policy::none())
            .referer(false)
            .retry(retry::never())
            // The client doesn't resolve literal addresses, so `check_url` has to check those.
            .dns_resolver(resolver)
            .connect_timeout(self.connect_timeout)
            // Calls are rare, and idle connections would be observable.
            .pool_max_idle_per_host(0)
            .http1_max_headers(MAX_HEADERS)
            .http2_max_header_list_size(MAX_HEADER_BYTES)
            .user_agent(self.user_agent.clone())
            .default_headers(headers());
        // Tests trust only their own certificates. Each client would parse all certificates of the system.
        #[cfg(test)]
        let builder = builder.tls_certs_only(self.roots.clone());
        builder.build()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            guard: Arc::default(),
            resolver: Arc::new(SystemResolver),
            user_agent: HeaderValue::from_static(USER_AGENT),
            connect_timeout: Duration::from_secs(10),
            #[cfg(test)]
            roots: Vec::new(),
        }
    }
}

fn headers() -> HeaderMap {
    HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static(ACCEPTED)),
        (
            ACCEPT_LANGUAGE,
            HeaderValue::from_static("en-US,en;q=0.9,*;q=0.5"),
        ),
    ])
}
