//! Identification of postings, hosts and pages that require a log-in.

use html_text::{Event, Events};

/// Words in the address of a page that requires a log-in or a proof of being human.
const WALLS: [&str; 5] = ["authwall", "login", "checkpoint", "captcha", "uas/"];

/// Returns whether `id` is the number of a posting.
pub(super) fn is_id(id: &str) -> bool {
    (6..=20).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the ID at the end of a URN such as `urn:li:jobPosting:3812345678`.
pub(super) fn id_of(urn: &str) -> Option<String> {
    let id = urn.rsplit(':').next().unwrap_or_default().trim();
    is_id(id).then(|| id.to_owned())
}

/// Returns whether a host is LinkedIn or below it.
pub(super) fn is_linkedin_host(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    host == "linkedin.com" || host.ends_with(".linkedin.com")
}

/// Returns whether a page consists of a form for a log-in or a proof of being human.
pub(super) fn is_wall(html: &str) -> bool {
    Events::new(html).any(|event| match event {
        Event::Start(tag) => {
            let action = tag.attribute("action").unwrap_or_default();
            let name = tag.attribute("name").unwrap_or_default();
            (tag.name.eq_ignore_ascii_case("form") && is_wall_address(&action))
                || name == "session_key"
                || name.contains("captcha")
        }
        _ => false,
    })
}

/// Returns whether an address is that of a form for a log-in or a proof of being human.
pub(super) fn is_wall_address(address: &str) -> bool {
    let address = address.to_ascii_lowercase();
    WALLS.iter().any(|word| address.contains(word))
}
