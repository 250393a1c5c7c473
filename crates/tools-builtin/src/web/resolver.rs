//! Name resolution with a check of every address.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::guard::{AddressGuard, UrlRefusal};

/// Maximum number of addresses to check and use.
const MAX_ANSWERS: usize = 256;

/// Resolver of host names.
///
/// # Examples
/// ```
/// use std::io;
/// use std::net::IpAddr;
///
/// use async_trait::async_trait;
/// use tools_builtin::web::{Resolver, WebFetch};
///
/// #[derive(Debug)]
/// struct OnlyOne;
///
/// #[async_trait]
/// impl Resolver for OnlyOne {
///     async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
///         Ok(match host {
///             "example.com" => vec![IpAddr::from([93, 184, 216, 34])],
///             _ => Vec::new(),
///         })
///     }
/// }
///
/// let tool = WebFetch::new().with_resolver(OnlyOne);
/// # let _ = tool;
/// ```
#[async_trait]
pub trait Resolver: fmt::Debug + Send + Sync + 'static {
    /// Returns the addresses of a host name, or none if it does not exist.
    ///
    /// # Errors
    /// Returns an error for the log if the lookup fails. A model sees only that the host was not
    /// found.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// Resolver of the operating system.
///
/// # Examples
/// ```
/// use tools_builtin::web::{Resolver, SystemResolver};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let addresses = SystemResolver.resolve("localhost").await?;
/// assert!(addresses.iter().all(|address| address.is_loopback()));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let addresses = tokio::net::lookup_host((host, 0)).await?;
        Ok(addresses.map(|address| address.ip()).collect())
    }
}

/// Resolver of the HTTP client, which fails if the guard rejects an address.
#[derive(Debug, Clone)]
pub(super) struct GuardedResolver {
    pub(super) guard: Arc<AddressGuard>,
    pub(super) resolver: Arc<dyn Resolver>,
}

/// Failure of a resolution.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResolveError {
    #[error("a resolved address is forbidden")]
    Refused(UrlRefusal),
    #[error("the name has no address")]
    NoAddress,
    #[error("the name lookup failed")]
    Failed(#[source] io::Error),
}

impl GuardedResolver {
    async fn answers(self, host: &str) -> Result<Vec<SocketAddr>, ResolveError> {
        let found = self.resolver.resolve(host).await;
        let found = found.map_err(ResolveError::Failed)?;
        let mut answers = Vec::new();
        for address in found.into_iter().take(MAX_ANSWERS) {
            // Reject the host, because the next lookup may return the forbidden address first.
            self.guard
                .check_address(host, address)
                .map_err(ResolveError::Refused)?;
            answers.push(SocketAddr::new(address, 0));
        }
        if answers.is_empty() {
            return Err(ResolveError::NoAddress);
        }
        Ok(answers)
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let answers = resolver.answers(name.as_str()).await?;
            Ok(Box::new(answers.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[derive(Debug)]
    struct Fixed(Result<Vec<IpAddr>, io::ErrorKind>);

    #[async_trait]
    impl Resolver for Fixed {
        async fn resolve(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
            self.0.clone().map_err(io::Error::from)
        }
    }

    fn guarded(answer: Result<Vec<IpAddr>, io::ErrorKind>) -> GuardedResolver {
        GuardedResolver {
            guard: Arc::new(AddressGuard::new()),
            resolver: Arc::new(Fixed(answer)),
        }
    }

    const PUBLIC: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(93, 184, 216, 34));
    const PRIVATE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

    #[tokio::test]
    async fn addresses_have_no_port_and_keep_order() {
        let other = IpAddr::from([1, 1, 1, 1]);

        let answers = guarded(Ok(vec![PUBLIC, other]))
            .answers("a.example.org")
            .await;

        let expected = [PUBLIC, other].map(|address| SocketAddr::new(address, 0));
        assert_eq!(answers.unwrap(), expected);
    }

    #[tokio::test]
    async fn one_rejected_address_rejects_all() {
        let answers = guarded(Ok(vec![PUBLIC, PRIVATE]))
            .answers("a.example.org")
            .await;

        assert!(
            matches!(answers, Err(ResolveError::Refused(_))),
            "{answers:?}"
        );
    }

    #[tokio::test]
    async fn ignores_addresses_beyond_maximum() {
        let mut many = vec![PUBLIC; MAX_ANSWERS];
        many.push(PRIVATE);

        let answers = guarded(Ok(many)).answers("a.example.org").await.unwrap();

        assert_eq!(answers.len(), MAX_ANSWERS);
    }

    #[tokio::test]
    async fn distinguishes_missing_name_from_failed_lookup() {
        let none = guarded(Ok(Vec::new())).answers("a.example.org").await;
        let failed = guarded(Err(io::ErrorKind::TimedOut))
            .answers("a.example.org")
            .await;

        assert!(matches!(none, Err(ResolveError::NoAddress)), "{none:?}");
        let failed = failed.unwrap_err();
        assert_eq!(failed.to_string(), "the name lookup failed");
        assert!(failed.source().is_some());
    }

    #[tokio::test]
    async fn client_receives_checked_addresses() {
        let name = |name: &str| name.parse::<Name>().unwrap();

        let found = Resolve::resolve(&guarded(Ok(vec![PUBLIC])), name("a.example.org")).await;
        let refused = Resolve::resolve(&guarded(Ok(vec![PRIVATE])), name("a.example.org")).await;

        let found: Vec<SocketAddr> = found.unwrap().collect();
        assert_eq!(found, [SocketAddr::new(PUBLIC, 0)]);
        assert_eq!(
            refused.err().unwrap().to_string(),
            "a resolved address is forbidden"
        );
    }

    #[tokio::test]
    async fn system_resolver_resolves_localhost() {
        let addresses = SystemResolver.resolve("localhost").await.unwrap();

        assert!(!addresses.is_empty());
        assert!(addresses.iter().all(IpAddr::is_loopback));
    }
}
