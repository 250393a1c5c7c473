//! Options of a connection to NATS, and names that are parts of subjects.

use std::path::PathBuf;
use std::time::Duration;

use tool_core::Secret;

use crate::RemoteError;

/// Shortest `ack_wait`. The server does not measure shorter times reliably.
const MIN_ACK_WAIT: Duration = Duration::from_millis(100);

/// Credentials of a connection. Their values are not shown by `Debug`.
///
/// # Examples
/// ```
/// use tool_core::Secret;
/// use tool_remote::NatsCredentials;
///
/// let credentials = NatsCredentials::Token(Secret::new("a token".to_owned()));
/// assert_eq!(format!("{credentials:?}"), "Token([redacted])");
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum NatsCredentials {
    /// No credentials, or those in the URL.
    #[default]
    None,
    /// User and password.
    User(String, Secret<String>),
    /// Token.
    Token(Secret<String>),
    /// Seed of an `NKey`.
    NKey(Secret<String>),
    /// File with a JWT and the seed of an `NKey`, as `nsc` writes it.
    File(PathBuf),
}

/// Options of a connection to NATS, and of the queue that workers and clients share.
///
/// Workers and clients of a tenant must set the same tenant and the same limits.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_remote::NatsOptions;
///
/// let options = NatsOptions::new("tls://nats.example.com:4222")
///     .tenant("accounting")
///     .ack_wait(Duration::from_secs(10))
///     .max_queued(1_000);
/// ```
#[derive(Clone)]
#[must_use]
pub struct NatsOptions {
    pub(crate) urls: Vec<String>,
    pub(crate) tenant: String,
    pub(crate) credentials: NatsCredentials,
    pub(crate) root_certificates: Vec<PathBuf>,
    pub(crate) client_certificate: Option<(PathBuf, PathBuf)>,
    pub(crate) require_tls: bool,
    pub(crate) request_timeout: Duration,
    pub(crate) ack_wait: Duration,
    pub(crate) max_deliver: u32,
    pub(crate) max_queued: u32,
    pub(crate) replicas: usize,
}

impl NatsOptions {
    /// Creates options for the server at `url`, such as `nats://localhost:4222` or, with TLS, `tls://nats.example.com`.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            urls: vec![url.into()],
            tenant: "default".to_owned(),
            credentials: NatsCredentials::None,
            root_certificates: Vec::new(),
            client_certificate: None,
            require_tls: false,
            request_timeout: Duration::from_secs(5),
            ack_wait: Duration::from_secs(30),
            max_deliver: 5,
            max_queued: 10_000,
            replicas: 1,
        }
    }

    /// Adds another server of the cluster.
    pub fn server(mut self, url: impl Into<String>) -> Self {
        self.urls.push(url.into());
        self
    }

    /// Sets the tenant, which is part of all subjects, streams and buckets. The default is `default`. Permissions of the
    /// server can confine the credentials of a tenant to `toolwright.{tenant}.>`.
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = tenant.into();
        self
    }

    /// Sets the credentials.
    pub fn credentials(mut self, credentials: NatsCredentials) -> Self {
        self.credentials = credentials;
        self
    }

    /// Adds a file with root certificates, which replace the certificates of the system.
    pub fn root_certificates(mut self, file: impl Into<PathBuf>) -> Self {
        self.root_certificates.push(file.into());
        self
    }

    /// Sets the files with the certificate and the key of the client.
    pub fn client_certificate(
        mut self,
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Self {
        self.client_certificate = Some((certificate.into(), key.into()));
        self
    }

    /// Rejects servers without TLS.
    pub fn require_tls(mut self) -> Self {
        self.require_tls = true;
        self
    }

    /// Sets the timeout of one request to the server. The default is 5 seconds.
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = timeout;
        self
    }

    /// Sets the time after which a call without a sign of life is delivered to another worker, at least 100 ms. The default
    /// is 30 seconds. The lease of the ledger should not be longer.
    pub fn ack_wait(mut self, time: Duration) -> Self {
        self.ack_wait = time.max(MIN_ACK_WAIT);
        self
    }

    /// Sets the maximum number of deliveries of a call, at least 1. The default is 5. A call that exceeds it is not run, is
    /// sent to the dead-letter subject, and its outcome is unknown.
    pub fn max_deliver(mut self, deliveries: u32) -> Self {
        self.max_deliver = deliveries.max(1);
        self
    }

    /// Sets the maximum number of queued calls of the tenant, at least 1. The default is 10,000. Further calls fail with
    /// `rate_limited`.
    pub fn max_queued(mut self, calls: u32) -> Self {
        self.max_queued = calls.max(1);
        self
    }

    /// Sets the number of copies of the queue in a cluster. The default is 1.
    pub fn replicas(mut self, replicas: usize) -> Self {
        self.replicas = replicas.clamp(1, 5);
        self
    }

    pub(crate) fn check(&self) -> Result<(), RemoteError> {
        check_name("tenant", &self.tenant)
    }
}

// URLs may contain passwords.
tool_core::debug_fields!(NatsOptions, this => tenant: this.tenant, credentials: this.credentials,
    ack_wait: this.ack_wait, max_deliver: this.max_deliver, max_queued: this.max_queued);

/// Maximum bytes of a name.
const MAX_NAME: usize = 64;

/// Checks a name.
pub(crate) fn check_name(kind: &'static str, name: &str) -> Result<(), RemoteError> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_allowed) {
        return Ok(());
    }
    let name = name.chars().take(MAX_NAME).collect();
    Err(RemoteError::InvalidName { kind, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_hides_credentials_and_urls() {
        let options = NatsOptions::new("nats://user:password-1@localhost").credentials(
            NatsCredentials::User("user".into(), Secret::new("password-2".into())),
        );

        assert!(!format!("{options:?}").contains("password-"));
    }

    #[test]
    fn limits_have_minimums() {
        let options = NatsOptions::new("nats://localhost")
            .ack_wait(Duration::ZERO)
            .max_deliver(0)
            .max_queued(0)
            .replicas(0);

        assert_eq!(options.ack_wait, MIN_ACK_WAIT);
        assert_eq!(
            (options.max_deliver, options.max_queued, options.replicas),
            (1, 1, 1)
        );
    }

    #[test]
    fn accepts_only_characters_of_subjects() {
        let long = "a".repeat(65);
        for (name, is_valid) in [
            ("a", true),
            ("GPU_2-west", true),
            (long.get(1..).unwrap(), true),
            ("", false),
            (&long, false),
            ("a.b", false),
            ("a b", false),
            ("*", false),
            (">", false),
            ("größe", false),
        ] {
            assert_eq!(check_name("tenant", name).is_ok(), is_valid, "{name}");
        }
    }
}
