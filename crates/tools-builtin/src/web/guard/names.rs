//! Which names the public Internet has.

use super::refusal::UrlRule;

/// Suffixes for special uses, and those that local networks make up because nobody has them.
const SPECIAL: [&str; 41] = [
    "alt",
    "arpa",
    "belkin",
    "consul",
    "corp",
    "cluster",
    "dhcp",
    "docker",
    "domain",
    "example",
    "fritz.box",
    "gateway",
    "home",
    "internal",
    "intra",
    "intranet",
    "invalid",
    "kube",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "mail",
    "mshome.net",
    "onion",
    "private",
    "router",
    "svc",
    "test",
    "vpn",
    "wlan",
    "workgroup",
    // Names that always lead to this computer.
    "localtest.me",
    "lvh.me",
    "lacolhost.com",
    "vcap.me",
    "traefik.me",
    // Names that lead to the address that is written in them.
    "nip.io",
    "sslip.io",
    "xip.io",
    "localhost.direct",
];

/// The longest name, and the longest part of one, in bytes.
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

/// The name without the dot that may end it, in small letters.
pub(super) fn plain(name: &str) -> String {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.to_ascii_lowercase()
}

/// Why the public Internet has no such name; `None` when it may have. The name must be [`plain`].
pub(super) fn refused(name: &str) -> Option<UrlRule> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_label =
        |label: &str| !label.is_empty() && label.len() <= MAX_LABEL && label.bytes().all(is_letter);
    if name.len() > MAX_NAME || !name.split('.').all(is_label) {
        return Some(UrlRule::InvalidName);
    }
    if SPECIAL.iter().any(|suffix| is_below(name, suffix)) {
        return Some(UrlRule::SpecialName);
    }
    (!name.contains('.')).then_some(UrlRule::SingleLabel)
}

/// Whether the name is the suffix, or ends with it behind a dot.
fn is_below(name: &str, suffix: &str) -> bool {
    match name.strip_suffix(suffix) {
        Some(rest) => rest.is_empty() || rest.ends_with('.'),
        None => false,
    }
}
