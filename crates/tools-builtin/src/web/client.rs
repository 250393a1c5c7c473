//! The HTTP client, with nothing on that goes past the guard.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, retry};

use super::exchange::{MAX_HEADER_BYTES, MAX_HEADERS};
use super::guard::AddressGuard;
use super::resolver::{GuardedResolver, Resolver, SystemResolver};

/// What many sites want to see before they answer.
const USER_AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const ACCEPTED: &str = "text/html,application/xhtml+xml,application/json;q=0.9,text/plain;q=0.9,application/xml;q=0.8,*/*;q=0.5";

/// How a certificate in DER begins.
#[cfg(feature = "tls-aws-lc")]
const DER_SEQUENCE: u8 = 0x30;

/// How the client is to be made.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) guard: Arc<AddressGuard>,
    pub(super) resolver: Arc<dyn Resolver>,
    pub(super) user_agent: HeaderValue,
    pub(super) connect_timeout: Duration,
    #[cfg(feature = "tls-aws-lc")]
    pub(super) roots: Vec<reqwest::Certificate>,
}

/// The bytes are no certificate.
///
/// # Examples
/// ```
/// use tools_builtin::web::WebFetch;
///
/// let error = WebFetch::new().with_root_certificate(b"nonsense").unwrap_err();
/// assert_eq!(error.to_string(), "there is no certificate, neither in PEM nor in DER form");
/// ```
#[cfg(feature = "tls-aws-lc")]
#[derive(Debug, thiserror::Error)]
#[error("there is no certificate, neither in PEM nor in DER form")]
pub struct InvalidCertificate;

impl Settings {
    pub(super) fn client(&self) -> reqwest::Result<Client> {
        let resolver = GuardedResolver {
            guard: Arc::clone(&self.guard),
            resolver: Arc::clone(&self.resolver),
        };
        let builder = Client::builder()
            // A proxy looks names up by itself.
            .no_proxy()
            .redirect(Policy::none())
            .referer(false)
            .retry(retry::never())
            .dns_resolver(resolver)
            .connect_timeout(self.connect_timeout)
            // Calls are rare, and a connection that is kept is one more thing that can be seen later.
            .pool_max_idle_per_host(0)
            // Unpacked by ourselves: the client would leave out all members but the first.
            .no_gzip()
            .http1_max_headers(MAX_HEADERS)
            .http2_max_header_list_size(MAX_HEADER_BYTES)
            .user_agent(self.user_agent.clone())
            .default_headers(headers());
        #[cfg(feature = "tls-aws-lc")]
        let builder = builder.tls_certs_merge(self.roots.clone());
        builder.build()
    }

    /// Trusts a certificate in DER, or those in a text in PEM, too.
    #[cfg(feature = "tls-aws-lc")]
    pub(super) fn trust(&mut self, certificate: &[u8]) -> Result<(), InvalidCertificate> {
        use reqwest::Certificate;

        let roots = match certificate.first() {
            Some(&DER_SEQUENCE) => Certificate::from_der(certificate).map(|root| vec![root]),
            _ => Certificate::from_pem_bundle(certificate),
        };
        let roots = roots.map_err(|_| InvalidCertificate)?;
        if roots.is_empty() {
            return Err(InvalidCertificate);
        }
        self.roots.extend(roots);
        Ok(())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            guard: Arc::default(),
            resolver: Arc::new(SystemResolver),
            user_agent: HeaderValue::from_static(USER_AGENT),
            connect_timeout: Duration::from_secs(10),
            #[cfg(feature = "tls-aws-lc")]
            roots: Vec::new(),
        }
    }
}

fn headers() -> HeaderMap {
    HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static(ACCEPTED)),
        (ACCEPT_ENCODING, HeaderValue::from_static("gzip, br")),
        (
            ACCEPT_LANGUAGE,
            HeaderValue::from_static("en-US,en;q=0.9,*;q=0.5"),
        ),
    ])
}
