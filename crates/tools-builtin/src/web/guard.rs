//! Rules for reachable addresses. A model chooses the URL, so a page could make it fetch the metadata
//! service or an internal host; every name, address and redirect passes through here.

mod ranges;
mod refusal;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::net::IpAddr;

use ipnet::IpNet;
use url::{Host, Url};

pub use refusal::{UrlRefusal, UrlRule};

/// Maximum length of a URL in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// Rules for URLs that may be fetched: the public Internet, and exceptions set by the host.
///
/// A URL is parsed once, like in browsers, and the check applies to the address of the connection:
/// `http://0x7f.1/`, `http://2130706433/` and `http://①②⑦.0.0.1/` all refer to 127.0.0.1. Rejected
/// are schemes other than `http` and `https`, user names, ports of other protocols, names that
/// exist only in local networks, and all addresses that are not public. An IPv6 address that is
/// translated to an IPv4 address in transit (mapped, compatible, NAT64, 6to4, Teredo) is checked by
/// the embedded address.
///
/// The guard doesn't resolve names: between the check and the connection, a name could get another
/// address. The client that connects must pass each address to [`check_address`](Self::check_address) first.
///
/// # Examples
/// ```
/// use tools_builtin::web::{AddressGuard, UrlRule};
///
/// let guard = AddressGuard::new();
/// assert!(guard.check("https://example.com/a?b=c").is_ok());
/// for (url, rule) in [
///     ("http://[::ffff:10.0.0.1]/", UrlRule::Private),
///     ("http://169.254.169.254/latest/meta-data/", UrlRule::Metadata),
///     ("http://printer.local/", UrlRule::SpecialName),
///     ("https://user:password@example.com/", UrlRule::Credentials),
/// ] {
///     assert_eq!(guard.check(url).unwrap_err().rule(), rule);
/// }
///
/// let widened = AddressGuard::new().allow_host("wiki.internal")?.allow_range("10.1.0.0/16".parse()?);
/// assert!(widened.check("https://wiki.internal/start").is_ok());
/// assert!(widened.check("http://10.1.2.3/").is_ok());
/// assert!(widened.check("http://10.2.0.1/").is_err());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressGuard {
    hosts: BTreeSet<String>,
    ranges: Vec<IpNet>,
}

/// Error for a string that is neither a host name nor an address.
///
/// # Examples
/// ```
/// use tools_builtin::web::AddressGuard;
///
/// let error = AddressGuard::new().allow_host("wiki.internal/start").unwrap_err();
/// assert_eq!(error.to_string(), "invalid host `wiki.internal/start`; use a name or an address without scheme, port and path");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid host `{0}`; use a name or an address without scheme, port and path")]
pub struct InvalidHost(String);

impl AddressGuard {
    /// Creates a guard that allows only the public Internet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows one host by its name or address, regardless of the other rules. A name may resolve to
    /// any address, so allow only names that you control; its subdomains stay forbidden. Metadata
    /// services of clouds must be allowed by address, because they give out credentials.
    ///
    /// # Errors
    /// Returns [`InvalidHost`] if `host` is neither a name nor an address.
    pub fn allow_host(mut self, host: &str) -> Result<Self, InvalidHost> {
        let invalid = || InvalidHost(host.to_owned());
        let address = host.parse::<IpAddr>().ok();
        let parsed = match address {
            // `Host::parse` requires brackets around an IPv6 address.
            Some(IpAddr::V6(address)) => Host::Ipv6(address),
            _ => Host::parse(host).map_err(|_| invalid())?,
        };
        match parsed {
            Host::Domain(name) if plain_name(&name).is_empty() => return Err(invalid()),
            Host::Domain(name) => {
                self.hosts.insert(plain_name(&name));
            }
            Host::Ipv4(address) => self.ranges.push(IpAddr::V4(address).into()),
            Host::Ipv6(address) => self.ranges.push(IpAddr::V6(address).into()),
        }
        Ok(self)
    }

    /// Allows an address range, even for the addresses of a name. Metadata services of clouds in the range
    /// stay forbidden, unless the range contains only that address.
    #[must_use]
    pub fn allow_range(mut self, range: IpNet) -> Self {
        self.ranges.push(range);
        self
    }

    /// Checks a URL without resolving its host.
    ///
    /// # Errors
    /// Returns [`UrlRefusal`] with the rule that rejects the URL.
    pub fn check(&self, url: &str) -> Result<(), UrlRefusal> {
        self.admit(url).map(|_| ())
    }

    /// Checks one of the addresses that a host name was resolved to. A rejected address rejects the
    /// host.
    ///
    /// # Errors
    /// Returns [`UrlRefusal`] with the rule that rejects the address.
    pub fn check_address(&self, host: &str, address: IpAddr) -> Result<(), UrlRefusal> {
        let rule = if self.hosts.contains(&plain_name(host)) {
            // The host allowed a name, not what it resolves to, and a metadata service returns the keys of the machine.
            ranges::refused_always(address, &self.ranges)
        } else {
            ranges::refused(address, &self.ranges)
        };
        match rule {
            Some(rule) => Err(UrlRefusal::new(rule).by_name()),
            None => Ok(()),
        }
    }

    /// Checks a URL, and the addresses that `resolve` returns for its host name. The name is passed
    /// in lowercase, without a trailing dot. The guard itself resolves and fetches nothing.
    ///
    /// # Errors
    /// Returns [`UrlRefusal`] with the rule that rejects the URL or an address.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::web::{AddressGuard, UrlRule};
    ///
    /// let guard = AddressGuard::new();
    /// let inside = |_: &str| vec!["10.0.0.1".parse().expect("an address")];
    /// let refusal = guard.check_resolved("https://example.com/", inside).unwrap_err();
    /// assert_eq!(refusal.rule(), UrlRule::Private);
    /// assert!(refusal.is_by_name());
    /// ```
    pub fn check_resolved(
        &self,
        url: &str,
        resolve: impl FnOnce(&str) -> Vec<IpAddr>,
    ) -> Result<(), UrlRefusal> {
        let url = self.admit(url)?;
        let Some(Host::Domain(name)) = url.host() else {
            return Ok(());
        };
        let name = plain_name(name);
        let mut answers = resolve(&name).into_iter();
        answers.try_for_each(|address| self.check_address(&name, address))
    }

    /// Parses and checks a URL.
    pub(crate) fn admit(&self, text: &str) -> Result<Url, UrlRefusal> {
        let url = parse_url(text).map_err(UrlRefusal::new)?;
        self.check_url(&url)?;
        Ok(url)
    }

    /// Checks a parsed URL.
    pub(crate) fn check_url(&self, url: &Url) -> Result<(), UrlRefusal> {
        match self.refused(url) {
            Some(rule) => Err(UrlRefusal::new(rule)),
            None => Ok(()),
        }
    }

    fn refused(&self, url: &Url) -> Option<UrlRule> {
        if !matches!(url.scheme(), "http" | "https") {
            return Some(UrlRule::Scheme);
        }
        // `https://example.com@10.0.0.1/` shows one host and connects to another.
        if !url.username().is_empty() || url.password().is_some() {
            return Some(UrlRule::Credentials);
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => self.refused_name(&plain_name(name)),
            Some(Host::Ipv4(address)) => ranges::refused(address.into(), &self.ranges),
            Some(Host::Ipv6(address)) => ranges::refused(address.into(), &self.ranges),
            None => Some(UrlRule::Invalid),
        };
        host.or_else(|| refused_port(url))
    }

    fn refused_name(&self, name: &str) -> Option<UrlRule> {
        if self.hosts.contains(name) {
            return None;
        }
        rule_of_name(name)
    }
}

/// Parses a URL. All later checks apply to its parts.
fn parse_url(text: &str) -> Result<Url, UrlRule> {
    // Models surround URLs with whitespace, which the URL standard ignores too.
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    if text.len() > MAX_BYTES {
        return Err(UrlRule::Invalid);
    }
    // The only parser: a second one that reads the host differently would be a way around the check.
    let url = Url::parse(text).map_err(|_| UrlRule::Invalid)?;
    if is_ambiguous(text) {
        return Err(UrlRule::Ambiguous);
    }
    Ok(url)
}

// The URL standard ignores tabs and newlines and treats a backslash as a slash; other programs
// differ.
fn is_ambiguous(text: &str) -> bool {
    let before_query = text.split(['?', '#']).next().unwrap_or_default();
    text.chars().any(char::is_control) || before_query.contains('\\')
}

/// Special-use suffixes, and suffixes that local networks use without a registration.
const SPECIAL: &str = "\
    alt arpa belkin consul corp cluster dhcp docker domain example fritz.box gateway home \
    internal intra intranet invalid kube lan local localdomain localhost mail mshome.net onion \
    private router svc test vpn wlan workgroup";

/// Names that always resolve to loopback, or to the address in the name.
const LOCAL: &str = "\
    localtest.me lvh.me lacolhost.com vcap.me traefik.me nip.io sslip.io xip.io \
    localhost.direct";

/// Maximum length of a name and of a label in bytes.
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

/// Returns the name in lowercase without a trailing dot.
fn plain_name(name: &str) -> String {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.to_ascii_lowercase()
}

/// Returns the rule that rejects a name, if any. The name must be [`plain_name`].
fn rule_of_name(name: &str) -> Option<UrlRule> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_label =
        |label: &str| !label.is_empty() && label.len() <= MAX_LABEL && label.bytes().all(is_letter);
    if name.len() > MAX_NAME || !name.split('.').all(is_label) {
        return Some(UrlRule::InvalidName);
    }
    let mut special = SPECIAL.split(' ').chain(LOCAL.split(' '));
    if special.any(|suffix| is_below(name, suffix)) {
        return Some(UrlRule::SpecialName);
    }
    // The system completes such a name with its search domains, so it would name a host of the local network.
    (!name.contains('.')).then_some(UrlRule::SingleLabel)
}

/// Returns whether the name is the suffix or one of its subdomains.
fn is_below(name: &str, suffix: &str) -> bool {
    match name.strip_suffix(suffix) {
        Some(rest) => rest.is_empty() || rest.ends_with('.'),
        None => false,
    }
}

/// Blocked ports of the Fetch standard, sorted. Their servers speak other
/// protocols and might run parts of a request as commands.
const BLOCKED_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];

fn refused_port(url: &Url) -> Option<UrlRule> {
    let port = url.port_or_known_default()?;
    let is_refused = BLOCKED_PORTS.binary_search(&port).is_ok();
    is_refused.then_some(UrlRule::Port)
}
