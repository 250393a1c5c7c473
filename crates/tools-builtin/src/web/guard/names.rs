//! Which names the public Internet has.

use super::refusal::UrlRule;

/// Suffixes for special uses, and those that local networks make up because nobody has them.
const SPECIAL: [&str; 33] = [
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
    let is_label = |label: &str| !label.is_empty() && label.len() <= MAX_LABEL;
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
