//! Addresses and time zones that a model passes.

use jiff::tz::{TimeZone, db};
use tool_core::ToolError;
use url::Host;

/// Maximum length of an address in bytes.
const MAX_ADDRESS: usize = 254;

/// Returns a valid address with an ASCII domain, or the reason why it is invalid.
pub(crate) fn ascii_address(address: &str) -> Result<String, &'static str> {
    let (local, domain) = address.rsplit_once('@').ok_or("has no `@`")?;
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c);
    if local.is_empty() || !local.chars().all(is_allowed) {
        return Err("has characters before the `@` that are not allowed");
    }
    if local.starts_with('.') || local.ends_with('.') || local.contains("..") {
        return Err("has misplaced dots before the `@`");
    }
    let Ok(Host::Domain(domain)) = Host::parse(domain) else {
        return Err("has an invalid domain");
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    if !domain.contains('.') || domain.ends_with('.') || !domain.chars().all(is_name) {
        return Err("has an invalid domain");
    }
    let address = format!("{local}@{domain}");
    if address.len() > MAX_ADDRESS {
        return Err("is too long");
    }
    Ok(address)
}

/// Returns the domain of an address, in lowercase ASCII.
pub(crate) fn domain_of(address: &str) -> Option<String> {
    let address = ascii_address(address).ok()?;
    let (_, domain) = address.rsplit_once('@')?;
    Some(domain.to_owned())
}

/// Line of a preview whose addresses have no marks.
pub(crate) const UNKNOWN_DOMAIN: &str =
    "The domain of the account is unknown, so addresses outside it are not marked.";

/// Returns the mark of an address outside `own`, the domain of the account if it is known. Subdomains
/// are outside too, because others may own them.
pub(crate) fn outsider(address: &str, own: Option<&str>) -> String {
    match own {
        Some(own) if domain_of(address).as_deref() != Some(own) => format!(" (outside {own})"),
        _ => String::new(),
    }
}

/// Returns the error for an invalid address.
pub(crate) fn invalid_address(parameter: &str, address: &str, reason: &str) -> ToolError {
    let shown = crate::door::one_line(address, 100);
    ToolError::invalid_arguments(parameter, format!("contains `{shown}`, which {reason}"))
        .suggest("Use addresses such as `ada@example.com`.")
}

/// Number of names in a suggestion.
const SUGGESTIONS: usize = 3;

/// Returns the zone with this IANA name, or similar names separated by commas.
pub(crate) fn zone(name: &str) -> Result<TimeZone, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    if name.len() <= 64
        && name.chars().all(is_name)
        && let Ok(zone) = TimeZone::get(name)
    {
        return Ok(zone);
    }
    Err(similar(name))
}

/// Returns the names that share a place or a beginning with `name`.
fn similar(name: &str) -> String {
    let wanted: String = name.chars().take(64).collect();
    let wanted = wanted.to_ascii_lowercase().replace(' ', "_");
    let place = wanted.rsplit('/').next().unwrap_or_default();
    let shared = |one: &str, other: &str| {
        let pairs = one.bytes().zip(other.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let mut scored: Vec<(usize, String)> = db()
        .available()
        .map(|known| {
            let lower = known.as_str().to_ascii_lowercase();
            let own = lower.rsplit('/').next().unwrap_or_default();
            let score = shared(own, place).max(shared(&lower, &wanted) / 2);
            (usize::MAX - score, known.as_str().to_owned())
        })
        .collect();
    scored.sort();
    let names = scored.into_iter().take(SUGGESTIONS);
    let names: Vec<String> = names.map(|(_, name)| name).collect();
    if names.is_empty() {
        "Europe/Berlin".to_owned()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_other_domains_are_marked() {
        for (address, mark) in [
            ("ada@example.com", ""),
            ("ada@EXAMPLE.com", ""),
            ("ada@mail.example.com", " (outside example.com)"),
            ("ada@com", " (outside example.com)"),
            ("ada@notexample.com", " (outside example.com)"),
            ("example.com@example.org", " (outside example.com)"),
            ("example.com", " (outside example.com)"),
        ] {
            assert_eq!(outsider(address, Some("example.com")), mark, "{address}");
            assert_eq!(outsider(address, None), "", "{address}");
        }
    }

    #[test]
    fn addresses_have_ascii_domain() {
        for (address, ascii) in [
            ("ada@example.com", "ada@example.com"),
            ("a.b+c@EXAMPLE.com", "a.b+c@example.com"),
            ("j@bücher.example", "j@xn--bcher-kva.example"),
        ] {
            assert_eq!(ascii_address(address).as_deref(), Ok(ascii));
        }
        for address in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "a b@example.com",
            "jörg@example.com",
            "a@b@example.com",
            "a@localhost",
            "a@1.2.3.4",
            "a@[::1]",
            ".a@example.com",
            "a..b@example.com",
            "a@exa mple.com",
            "a@example.com\r\nBcc: x@y.z",
            "a@example.com.",
            "<a@example.com>",
        ] {
            assert!(ascii_address(address).is_err(), "{address}");
        }
    }

    #[test]
    fn unknown_zone_names_similar_ones() {
        assert!(zone("Europe/Berlin").is_ok());
        assert!(zone("Berlin").unwrap_err().contains("Europe/Berlin"));
        assert!(
            zone("America/New York")
                .unwrap_err()
                .contains("America/New_York")
        );
        for name in ["../../etc/passwd", "", "Mars/Olympus", "Europe/Berlin\n"] {
            assert!(zone(name).is_err(), "{name}");
        }
    }
}
