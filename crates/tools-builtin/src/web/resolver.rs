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
    async fn answers_are_given_without_a_port_and_in_their_order() {
        let other = IpAddr::from([1, 1, 1, 1]);

        let answers = guarded(Ok(vec![PUBLIC, other]))
            .answers("a.example.org")
            .await;

        let expected = [PUBLIC, other].map(|address| SocketAddr::new(address, 0));
        assert_eq!(answers.unwrap(), expected);
    }

    #[tokio::test]
    async fn one_answer_that_is_refused_refuses_all() {
        let answers = guarded(Ok(vec![PUBLIC, PRIVATE]))
            .answers("a.example.org")
            .await;

        assert!(
            matches!(answers, Err(ResolveError::Refused(_))),
            "{answers:?}"
        );
    }

    #[tokio::test]
    async fn answers_beyond_the_most_are_neither_judged_nor_used() {
        let mut many = vec![PUBLIC; MAX_ANSWERS];
        many.push(PRIVATE);

        let answers = guarded(Ok(many)).answers("a.example.org").await.unwrap();

        assert_eq!(answers.len(), MAX_ANSWERS);
    }

    #[tokio::test]
    async fn no_answer_and_no_look_up_are_told_apart() {
        let none = guarded(Ok(Vec::new())).answers("a.example.org").await;
        let failed = guarded(Err(io::ErrorKind::TimedOut))
            .answers("a.example.org")
            .await;

        assert!(matches!(none, Err(ResolveError::NoAddress)), "{none:?}");
        let failed = failed.unwrap_err();
        assert_eq!(failed.to_string(), "the name could not be looked up");
        assert!(failed.source().is_some());
    }

    #[tokio::test]
    async fn the_client_gets_what_was_judged() {
        let name = |name: &str| name.parse::<Name>().unwrap();

        let found = Resolve::resolve(&guarded(Ok(vec![PUBLIC])), name("a.example.org")).await;
        let refused = Resolve::resolve(&guarded(Ok(vec![PRIVATE])), name("a.example.org")).await;

        let found: Vec<SocketAddr> = found.unwrap().collect();
        assert_eq!(found, [SocketAddr::new(PUBLIC, 0)]);
        assert_eq!(refused.err().unwrap().to_string(), "an answer is refused");
    }

    #[tokio::test]
    async fn the_system_knows_its_own_name() {
        let addresses = SystemResolver.resolve("localhost").await.unwrap();

        assert!(!addresses.is_empty());
        assert!(addresses.iter().all(IpAddr::is_loopback));
    }
}
