//! Addresses and time zones that a model passes.

use jiff::tz::TimeZone;
use tool_core::ToolError;
use url::Host;

use crate::arguments::check_line;
use crate::gmail::{MailAddress, parse_addresses};

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

/// Maximum length of a list of people in characters.
const MAX_LIST: usize = 32_000;

/// Parses a list of people, such as `Ada <ada@example.com>, b@example.com`.
pub(crate) fn people(parameter: &str, list: &str) -> Result<Vec<MailAddress>, ToolError> {
    let invalid = |address: &str, reason: &str| {
        let shown = crate::door::one_line(address, 100);
        ToolError::invalid_arguments(parameter, format!("contains `{shown}`, which {reason}"))
            .suggest("Use addresses such as `ada@example.com`.")
    };
    check_line(parameter, list, MAX_LIST)?;
    let (mut people, mut names): (Vec<MailAddress>, Vec<String>) = (Vec::new(), Vec::new());
    for mut person in parse_addresses(list) {
        if !person.address.contains('@') {
            // Models write `Lovelace, Ada <ada@example.com>` without quotes.
            names.push(format!("{}{}", person.name, person.address));
            continue;
        }
        if !person.name.is_empty() {
            names.push(person.name);
            person.name = std::mem::take(&mut names).join(", ");
        }
        if let Some(name) = names.first() {
            return Err(invalid(name, "has no `@`"));
        }
        // Punycode, because not every mail server on the way understands other scripts.
        person.address =
            ascii_address(&person.address).map_err(|reason| invalid(&person.address, reason))?;
        people.push(person);
    }
    match names.first() {
        Some(name) => Err(invalid(name, "has no `@`")),
        None if people.is_empty() && !list.trim().is_empty() => {
            Err(invalid(list, "is not an address"))
        }
        None => Ok(people),
    }
}

/// Returns the zone with this IANA name.
pub(crate) fn zone(name: &str) -> Option<TimeZone> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    let is_valid = name.len() <= 64 && name.chars().all(is_name);
    is_valid.then(|| TimeZone::get(name).ok()).flatten()
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
    fn names_may_have_commas() {
        for (list, expected) in [
            (
                "Lovelace, Ada <ada@example.com>, b@example.org",
                "Lovelace, Ada <ada@example.com>; b@example.org",
            ),
            (
                "\"Lovelace, Ada\" <ada@example.com>",
                "Lovelace, Ada <ada@example.com>",
            ),
            (
                "b@example.org, Hopper, Grace, Dr. <g@example.com>",
                "b@example.org; Hopper, Grace, Dr. <g@example.com>",
            ),
        ] {
            let found = people("to", list).unwrap();
            let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert_eq!(shown.join("; "), expected);
        }
        for list in ["nobody, b@example.org", "Ada <ada@example.com>, nobody"] {
            assert!(people("to", list).is_err(), "{list}");
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
    fn zone_is_in_database() {
        assert!(zone("Europe/Berlin").is_some());
        for name in ["../../etc/passwd", "", "Mars/Olympus", "Europe/Berlin\n"] {
            assert!(zone(name).is_none(), "{name}");
        }
    }
}
