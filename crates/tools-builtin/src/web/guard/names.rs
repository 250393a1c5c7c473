//! Rules for host names.

use super::refusal::UrlRule;

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
pub(super) fn plain(name: &str) -> String {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.to_ascii_lowercase()
}

/// Returns the rule that rejects a name, if any. The name must be [`plain`].
pub(super) fn refused(name: &str) -> Option<UrlRule> {
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
