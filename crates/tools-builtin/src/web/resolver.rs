//! Looking up names, with every answer judged before it is used.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::guard::{AddressGuard, UrlRefusal};

/// More answers than this are not looked at, and so not used either.
const MAX_ANSWERS: usize = 256;

/// Looks up the addresses of names.
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
/// let engine = WebFetch::new().with_resolver(OnlyOne);
/// # let _ = engine;
/// ```
#[async_trait]
pub trait Resolver: fmt::Debug + Send + Sync + 'static {
    /// The addresses of a name; none when there is no such name.
    ///
    /// # Errors
    /// What went wrong, for the log: a model is told that the name could not be looked up.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// Looks names up as the operating system does.
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

/// Gives the HTTP client the answers of a resolver, when all of them may be reached.
#[derive(Debug, Clone)]
pub(super) struct GuardedResolver {
    pub(super) guard: Arc<AddressGuard>,
    pub(super) resolver: Arc<dyn Resolver>,
}

/// Why a name gives no address to connect to.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResolveError {
    #[error("an answer is refused")]
    Refused(UrlRefusal),
    #[error("there is no such name")]
    NoAddress,
    #[error("the name could not be looked up")]
    Failed(#[source] io::Error),
}

impl GuardedResolver {
    async fn answers(self, host: &str) -> Result<Vec<SocketAddr>, ResolveError> {
        let found = self.resolver.resolve(host).await;
        let found = found.map_err(ResolveError::Failed)?;
        let mut answers = Vec::new();
        for address in found.into_iter().take(MAX_ANSWERS) {
            // One that is refused refuses all: the next look-up may begin with it.
            self.guard
                .judge_answer(host, address)
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
