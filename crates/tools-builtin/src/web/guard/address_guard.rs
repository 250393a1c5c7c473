//! Which URLs may be fetched.

use std::collections::BTreeSet;
use std::net::IpAddr;

use url::{Host, Url};

use super::names;
use super::network::Network;
use super::ports;
use super::ranges;
use super::refusal::{UrlRefusal, UrlRule};
use super::text;

/// Decides which URLs may be fetched: those of the public Internet, and what the host adds.
///
/// A URL is parsed once, as browsers do, and what is judged is what will be dialled: `http://0x7f.1/`, `http://2130706433/` and
/// `http://①②⑦.0.0.1/` all lead to the address 127.0.0.1. Refused are other schemes than `http` and `https`, user names, ports
/// of other protocols, names that only local networks have, and every address that is not public. An IPv6 address that is
/// translated to an IPv4 address on its way (mapped, compatible, NAT64, 6to4, Teredo) is judged by the one inside.
///
/// The guard does not look names up. Who does gives every answer to [`judge_answer`](Self::judge_answer) before it connects.
///
/// # Examples
/// ```
/// use tools_builtin::web::{AddressGuard, UrlRule};
///
/// let guard = AddressGuard::new();
/// assert!(guard.judge("https://example.com/a?b=c").is_ok());
/// for (url, rule) in [
///     ("http://[::ffff:10.0.0.1]/", UrlRule::Private),
///     ("http://169.254.169.254/latest/meta-data/", UrlRule::Metadata),
///     ("http://printer.local/", UrlRule::SpecialName),
///     ("https://user:password@example.com/", UrlRule::Credentials),
/// ] {
///     assert_eq!(guard.judge(url).unwrap_err().rule(), rule);
/// }
///
/// let widened = AddressGuard::new().allow_host("wiki.internal")?.allow_range("10.1.0.0/16".parse()?);
/// assert!(widened.judge("https://wiki.internal/start").is_ok());
/// assert!(widened.judge("http://10.1.2.3/").is_ok());
/// assert!(widened.judge("http://10.2.0.1/").is_err());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressGuard {
    hosts: BTreeSet<String>,
    ranges: Vec<Network>,
    ports: BTreeSet<u16>,
}

/// The text is no name of a host and no address.
///
/// # Examples
/// ```
/// use tools_builtin::web::AddressGuard;
///
/// let error = AddressGuard::new().allow_host("wiki.internal/start").unwrap_err();
/// assert_eq!(error.to_string(), "`wiki.internal/start` is no host; write a name or an address, without scheme, port and path");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no host; write a name or an address, without scheme, port and path")]
pub struct InvalidHost(String);

impl AddressGuard {
    /// Creates a guard that allows the public Internet and nothing else.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows one host by its name or address, whatever is wrong with that; a name whatever it is resolved to. Names below it
    /// are not allowed with it. No name leads to a metadata service of a cloud: that must be named by its address.
    ///
    /// # Errors
    /// [`InvalidHost`] for a text that is neither.
    pub fn allow_host(mut self, host: &str) -> Result<Self, InvalidHost> {
        let invalid = || InvalidHost(host.to_owned());
        let address = host.parse::<IpAddr>().ok();
        let parsed = match address {
            Some(IpAddr::V6(address)) => Host::Ipv6(address),
            _ => Host::parse(host).map_err(|_| invalid())?,
        };
        match parsed {
            Host::Domain(name) if names::plain(&name).is_empty() => return Err(invalid()),
            Host::Domain(name) => {
                self.hosts.insert(names::plain(&name));
            }
            Host::Ipv4(address) => self.ranges.push(IpAddr::V4(address).into()),
            Host::Ipv6(address) => self.ranges.push(IpAddr::V6(address).into()),
        }
        Ok(self)
    }

    /// Allows the addresses of a range, by name too; without the metadata services of clouds in it, unless the range is just
    /// that address.
    #[must_use]
    pub fn allow_range(mut self, range: Network) -> Self {
        self.ranges.push(range);
        self
    }

    /// Allows a port that belongs to another protocol.
    #[must_use]
    pub fn allow_port(mut self, port: u16) -> Self {
        self.ports.insert(port);
        self
    }

    /// Judges the text of a URL by what it says itself.
    ///
    /// # Errors
    /// [`UrlRefusal`] says which rule refuses it.
    pub fn judge(&self, url: &str) -> Result<(), UrlRefusal> {
        self.admit(url).map(|_| ())
    }

    /// Judges one of the addresses that the name of a host was resolved to. One that is refused refuses the host.
    ///
    /// # Errors
    /// [`UrlRefusal`] says which rule refuses it.
    pub fn judge_answer(&self, host: &str, address: IpAddr) -> Result<(), UrlRefusal> {
        let rule = if self.hosts.contains(&names::plain(host)) {
            ranges::refused_always(address, &self.ranges)
        } else {
            ranges::refused(address, &self.ranges)
        };
        match rule {
            Some(rule) => Err(UrlRefusal::new(rule).by_name()),
            None => Ok(()),
        }
    }

    /// Judges the text of a URL, and the addresses that its name is resolved to by `resolve`, which is given the name in small
    /// letters, without a dot at its end. Nothing is looked up and nothing is fetched.
    ///
    /// # Errors
    /// [`UrlRefusal`] says which rule refuses it.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::web::{AddressGuard, UrlRule};
    ///
    /// let guard = AddressGuard::new();
    /// let inside = |_: &str| vec!["10.0.0.1".parse().expect("an address")];
    /// let refusal = guard.judge_resolved("https://example.com/", inside).unwrap_err();
    /// assert_eq!(refusal.rule(), UrlRule::Private);
    /// assert!(refusal.is_by_name());
    /// ```
    pub fn judge_resolved(
        &self,
        url: &str,
        resolve: impl FnOnce(&str) -> Vec<IpAddr>,
    ) -> Result<(), UrlRefusal> {
        let url = self.admit(url)?;
        let Some(Host::Domain(name)) = url.host() else {
            return Ok(());
        };
        let name = names::plain(name);
        let mut answers = resolve(&name).into_iter();
        answers.try_for_each(|address| self.judge_answer(&name, address))
    }

    /// The URL of a text that is not refused.
    pub(crate) fn admit(&self, text: &str) -> Result<Url, UrlRefusal> {
        let url = text::parse(text).map_err(UrlRefusal::new)?;
        self.judge_parts(&url)?;
        Ok(url)
    }

    /// Judges a URL that was parsed already.
    pub(crate) fn judge_parts(&self, url: &Url) -> Result<(), UrlRefusal> {
        match self.refused(url) {
            Some(rule) => Err(UrlRefusal::new(rule)),
            None => Ok(()),
        }
    }

    fn refused(&self, url: &Url) -> Option<UrlRule> {
        if !matches!(url.scheme(), "http" | "https") {
            return Some(UrlRule::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Some(UrlRule::Credentials);
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => self.refused_name(&names::plain(name)),
            Some(Host::Ipv4(address)) => ranges::refused(address.into(), &self.ranges),
            Some(Host::Ipv6(address)) => ranges::refused(address.into(), &self.ranges),
            None => Some(UrlRule::Invalid),
        };
        host.or_else(|| self.refused_port(url))
    }

    fn refused_name(&self, name: &str) -> Option<UrlRule> {
        if self.hosts.contains(name) {
            return None;
        }
        names::refused(name)
    }

    fn refused_port(&self, url: &Url) -> Option<UrlRule> {
        let port = url.port_or_known_default()?;
        let is_refused = ports::is_refused(port) && !self.ports.contains(&port);
        is_refused.then_some(UrlRule::Port)
    }
}
