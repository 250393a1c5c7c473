//! HTTP client without features that bypass the guard.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, retry};

use super::exchange::{MAX_HEADER_BYTES, MAX_HEADERS};
use super::guard::AddressGuard;
use super::resolver::{GuardedResolver, Resolver, SystemResolver};

/// User agent that many sites require.
const USER_AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const ACCEPTED: &str = "text/html,application/xhtml+xml,application/json;q=0.9,text/plain;q=0.9,application/xml;q=0.8,*/*;q=0.5";

/// First byte of a certificate in DER.
const DER_SEQUENCE: u8 = 0x30;

/// Settings of the client.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) guard: Arc<AddressGuard>,
    pub(super) resolver: Arc<dyn Resolver>,
    pub(super) user_agent: HeaderValue,
    pub(super) connect_timeout: Duration,
    pub(super) roots: Vec<reqwest::Certificate>,
}

/// Error for an invalid certificate.
///
/// # Examples
/// ```
/// use tools_builtin::web::WebFetch;
///
/// let error = WebFetch::new().with_root_certificate(b"nonsense").unwrap_err();
/// assert_eq!(error.to_string(), "invalid certificate; use PEM or DER");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("invalid certificate; use PEM or DER")]
pub struct InvalidCertificate;

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
            // Decompress in `Unpacker`, because the client drops all gzip members but the first.
            .no_gzip()
            .http1_max_headers(MAX_HEADERS)
            .http2_max_header_list_size(MAX_HEADER_BYTES)
            .user_agent(self.user_agent.clone())
            .default_headers(headers());
        #[cfg(not(test))]
        let builder = builder.tls_certs_merge(self.roots.clone());
        // Tests trust only their own certificates. Each client would parse all certificates of the system.
        #[cfg(test)]
        let builder = builder.tls_certs_only(self.roots.clone());
        builder.build()
    }

    /// Adds a trusted certificate in DER, or all certificates of a PEM bundle.
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
