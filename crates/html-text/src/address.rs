//! Link addresses: validation, resolution and escaping.

use std::fmt::Write as _;

use tool_json::text::is_invisible;

/// Maximum length of an address in bytes.
const LONGEST: usize = 2048;

/// Returns whether a reader could follow the link.
pub(super) fn is_followable(written: &str) -> bool {
    let trimmed = written.trim();
    if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.len() > LONGEST {
        return false;
    }
    match scheme(trimmed) {
        // Not `javascript:` or `data:`, which run code or bring their own content.
        Some((scheme, _)) => [
            "http", "https", "mailto", "tel", "ftp", "ftps", "sftp", "magnet", "geo", "sms",
        ]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known)),
        // Browsers drop control characters, which could hide a scheme.
        None => !trimmed
            .split(['/', '?', '#'])
            .next()
            .unwrap_or_default()
            .contains(':'),
    }
}

/// Splits an address at the colon of its scheme.
fn scheme(address: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = address.split_once(':')?;
    let mut letters = scheme.bytes();
    let is_scheme = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_scheme.then_some((scheme, rest))
}

/// Returns the address for Markdown: absolute if there is a base, and with delimiters escaped.
pub(super) fn absolute(written: &str, base: Option<&str>) -> Option<String> {
    if !is_followable(written) {
        return None;
    }
    let written = written.trim();
    let address = base.map_or_else(|| written.to_owned(), |base| join(base, written));
    Some(escaped(&address))
}

fn escaped(address: &str) -> String {
    let mut text = String::with_capacity(address.len());
    for letter in address.chars() {
        match letter {
            '\t' | '\n' | '\r' => {}
            // These would end the link or start other markup.
            ' ' => text.push_str("%20"),
            '(' => text.push_str("%28"),
            ')' => text.push_str("%29"),
            '<' => text.push_str("%3C"),
            '>' => text.push_str("%3E"),
            '\\' => text.push_str("%5C"),
            '|' => text.push_str("%7C"),
            '`' => text.push_str("%60"),
            _ if letter.is_control() => {}
            // Escaped and not removed: the address still works, and a person sees the escape.
            _ if is_invisible(letter) => {
                let mut bytes = [0; 4];
                for byte in letter.encode_utf8(&mut bytes).bytes() {
                    // Writing to a String cannot fail.
                    let _ = write!(text, "%{byte:02X}");
                }
            }
            _ => text.push(letter),
        }
    }
    text
}

/// Resolves a reference against a base URL (RFC 3986, section 5.2).
pub(super) fn join(base: &str, reference: &str) -> String {
    if scheme(reference).is_some() {
        return reference.to_owned();
    }
    let Some((scheme, rest)) = scheme(base) else {
        return reference.to_owned();
    };
    if reference.starts_with("//") {
        return format!("{scheme}:{reference}");
    }
    // A base such as `mailto:` has no path to resolve against.
    let Some(rest) = rest.strip_prefix("//") else {
        return reference.to_owned();
    };
    let host_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, rest) = rest.split_at_checked(host_end).unwrap_or((rest, ""));
    let without_fragment = rest.split('#').next().unwrap_or_default();
    let path = without_fragment.split('?').next().unwrap_or_default();
    let joined = match reference.as_bytes().first() {
        None => without_fragment.to_owned(),
        Some(b'#') => format!("{without_fragment}{reference}"),
        Some(b'?') => format!("{path}{reference}"),
        Some(b'/') => without_dots(reference),
        Some(_) => {
            let folder = path
                .rfind('/')
                .map_or("/", |end| path.get(..=end).unwrap_or("/"));
            without_dots(&format!("{folder}{reference}"))
        }
    };
    let slash = if joined.starts_with('/') { "" } else { "/" };
    format!("{scheme}://{host}{slash}{joined}")
}

/// Removes `.` and `..` from a path and keeps the query and fragment.
fn without_dots(reference: &str) -> String {
    let end = reference.find(['?', '#']).unwrap_or(reference.len());
    let (path, behind) = reference.split_at_checked(end).unwrap_or((reference, ""));
    let mut parts: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                // Above the root, `..` stays at the root, as in browsers.
                if segment == ".." {
                    parts.pop();
                }
                if is_last {
                    parts.push("");
                }
            }
            _ => parts.push(segment),
        }
    }
    format!("/{}{behind}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, to_markdown_with};

    #[test]
    fn resolves_references_as_rfc_3986() {
        let base = "http://a/b/c/d;p?q";
        for (reference, expected) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"),
            ("g#s", "http://a/b/c/g#s"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../../g", "http://a/g"),
            ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g;x=1/../y", "http://a/b/c/y"),
        ] {
            assert_eq!(join(base, reference), expected, "{reference}");
        }
        assert_eq!(join("https://a.org", "x"), "https://a.org/x");
    }

    #[test]
    fn unfollowable_addresses_are_dropped() {
        for (written, expected) in [
            ("/a b", Some("/a%20b")),
            ("x(1)", Some("x%281%29")),
            ("a/\u{202e}b\u{2066}", Some("a/%E2%80%AEb%E2%81%A6")),
            ("/größe", Some("/größe")),
            ("mailto:a@b.org", Some("mailto:a@b.org")),
            ("javascript:alert(1)", None),
            (" JavaScript:alert(1)", None),
            ("java\tscript:alert(1)", None),
            ("data:text/html,x", None),
            ("#here", None),
            ("", None),
        ] {
            assert_eq!(absolute(written, None).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn base_element_changes_base_url() {
        let options = Options::new().with_base_url("https://a.org/b/");
        for (base, address) in [
            ("", "https://a.org/b/x"),
            ("../c/", "https://a.org/c/x"),
            ("https://d.org", "https://d.org/x"),
        ] {
            let page = format!("<a href=x>y</a><base href='{base}'>");

            let text = to_markdown_with(&page, &options).text;

            assert_eq!(text, format!("[y]({address})"), "{base}");
        }
    }
}
