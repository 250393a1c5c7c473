//! Pages: their elements by class or attribute, the cards of search results, and addresses of postings.

use std::time::{Duration, Instant};

use html_text::{Element, Options, Tree, to_text};
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::ToolError;
use url::Url;

use crate::door::one_line;

const CARD: &str = "base-card";
const TITLE: &str = "base-search-card__title";
const SUBTITLE: &str = "base-search-card__subtitle";
const LOCATION: &str = "job-search-card__location";
const SALARY: &str = "job-search-card__salary-info";
const URN: &str = "data-entity-urn";
const DATE: &str = "datetime";
/// Words in the address of a page that requires a log-in or a proof of being human.
const WALLS: [&str; 5] = ["authwall", "login", "checkpoint", "captcha", "uas/"];
/// Maximum number of cards of a page.
const MAX_CARDS: usize = 100;
const LINE: usize = 300;
const HTML_TIME: Duration = Duration::from_secs(2);

pub(super) fn tree(html: &str) -> Tree {
    Tree::new(
        html,
        &Options::new().with_deadline(Instant::now() + HTML_TIME),
    )
}

/// Page of search results.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Cards {
    pub(super) list: Vec<JobSummary>,
    /// Number of cards without a title or an ID.
    pub(super) broken: usize,
    /// Whether the page requires a log-in.
    pub(super) is_wall: bool,
    /// Whether the page has text, but no readable card.
    pub(super) is_changed: bool,
}

/// Job in the results of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct JobSummary {
    /// ID of the posting.
    pub(crate) id: String,
    /// Title.
    pub(crate) title: String,
    /// Company.
    pub(crate) company: String,
    /// Location.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) location: String,
    /// Date of the posting, such as `2026-11-02`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) posted: String,
    /// Salary.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) salary: String,
    /// Address of the posting.
    pub(crate) url: String,
}

impl Cards {
    pub(super) fn read(html: &str) -> Self {
        let page = tree(html);
        let mut all: Vec<JobSummary> = Vec::new();
        for element in page.elements() {
            // A card has the class, the attribute, or both.
            if element.has_class(CARD) || element.attribute(URN).is_some() {
                all.push(JobSummary::default());
            }
            if let Some(card) = all.last_mut() {
                card.take(element);
            }
        }
        all.truncate(MAX_CARDS);
        let count = all.len();
        all.retain(|card| !card.id.is_empty() && !card.title.is_empty());
        // Pages with results have a form to log in too.
        let is_wall = all.is_empty() && is_wall(&page);
        Self {
            broken: count - all.len(),
            is_changed: all.is_empty() && !is_wall && !to_text(html).text.trim().is_empty(),
            is_wall,
            list: all,
        }
    }
}

impl JobSummary {
    /// Takes the fields of an element. The first one wins.
    fn take(&mut self, element: Element<'_>) {
        let id = element.attribute(URN).and_then(id_of);
        if let Some(id) = id.filter(|_| self.id.is_empty()) {
            self.url = address(&id);
            self.id = id;
        }
        if let Some(date) = element.attribute(DATE).filter(|_| self.posted.is_empty()) {
            self.posted = one_line(date, 10);
        }
        set(&mut self.title, element, TITLE);
        set(&mut self.company, element, SUBTITLE);
        set(&mut self.location, element, LOCATION);
        set(&mut self.salary, element, SALARY);
    }
}

/// Sets an empty field to the text of an element with this class.
pub(super) fn set(field: &mut String, element: Element<'_>, class: &str) {
    if field.is_empty() && element.has_class(class) {
        let text: String = element.texts().collect();
        *field = one_line(&text, LINE);
    }
}

/// Returns whether a page consists of a form for a log-in or a proof of being human.
pub(super) fn is_wall(page: &Tree) -> bool {
    page.elements().any(|element| {
        let action = element.attribute("action").unwrap_or_default();
        let name = element.attribute("name").unwrap_or_default();
        (element.name() == "form" && is_wall_address(action))
            || name == "session_key"
            || name.contains("captcha")
    })
}

/// Returns whether an address is that of a form for a log-in or a proof of being human.
pub(super) fn is_wall_address(address: &str) -> bool {
    let address = address.to_ascii_lowercase();
    WALLS.iter().any(|word| address.contains(word))
}

const MAX_ADDRESS: usize = 2000;

/// Returns the number of the posting that an address, a URN or a number refers to.
pub(super) fn job_id(text: &str) -> Result<String, ToolError> {
    let text = text.trim();
    let found = if is_id(text) {
        Some(text.to_owned())
    } else if text.starts_with("urn:li:") {
        id_of(text)
    } else if text.len() <= MAX_ADDRESS {
        // People copy addresses without their scheme. The address itself is never requested.
        let scheme = if text.contains("://") { "" } else { "https://" };
        Url::parse(&format!("{scheme}{text}"))
            .ok()
            .as_ref()
            .and_then(id_in)
    } else {
        None
    };
    found.ok_or_else(|| {
        ToolError::invalid_arguments("url", "is not the address of a job on LinkedIn").suggest(
            "Use an address such as `https://www.linkedin.com/jobs/view/3812345678/`, or an ID from a search.",
        )
    })
}

fn id_in(url: &Url) -> Option<String> {
    let is_plain = url.username().is_empty() && url.password().is_none() && url.port().is_none();
    if !matches!(url.scheme(), "https" | "http") || !is_plain || !is_linkedin_host(url.host_str()?)
    {
        return None;
    }
    let current = url.query_pairs().find(|(name, _)| name == "currentJobId");
    if let Some((_, id)) = current.filter(|(_, id)| is_id(id)) {
        return Some(id.into_owned());
    }
    let rest = url.path().strip_prefix("/jobs/view/")?;
    let slug = rest.split('/').next().unwrap_or_default();
    let id = slug.rsplit('-').next().unwrap_or_default();
    is_id(id).then(|| id.to_owned())
}

/// Returns whether `id` is the number of a posting.
fn is_id(id: &str) -> bool {
    (6..=20).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the ID at the end of a URN such as `urn:li:jobPosting:3812345678`.
pub(super) fn id_of(urn: &str) -> Option<String> {
    let id = urn.rsplit(':').next().unwrap_or_default().trim();
    is_id(id).then(|| id.to_owned())
}

/// Returns the address of a posting.
pub(super) fn address(id: &str) -> String {
    format!("https://www.linkedin.com/jobs/view/{id}/")
}

fn is_linkedin_host(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    host == "linkedin.com" || host.ends_with(".linkedin.com")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_all_forms_of_addresses() {
        for text in [
            "https://www.linkedin.com/jobs/view/3812345678/",
            "https://de.linkedin.com/jobs/view/rust-2024-engineer-at-x-3812345678?trk=public",
            "https://linkedin.com/jobs/view/3812345678",
            "http://www.linkedin.com/jobs/view/3812345678/",
            "www.linkedin.com/jobs/view/3812345678",
            "linkedin.com/jobs/view/rust-at-x-3812345678?trk=public",
            "https://www.linkedin.com/jobs/search/?currentJobId=3812345678&keywords=rust",
            "urn:li:jobPosting:3812345678",
            "urn:li:fsd_jobPosting:3812345678",
            " 3812345678 ",
        ] {
            assert_eq!(job_id(text).unwrap(), "3812345678", "{text}");
        }
    }

    #[test]
    fn rejects_other_addresses() {
        for text in [
            "",
            "12345",
            "123456789012345678901",
            "ftp://www.linkedin.com/jobs/view/3812345678/",
            "linkedin.com.example.com/jobs/view/3812345678/",
            "https://linkedin.com.example.com/jobs/view/3812345678/",
            "https://notlinkedin.com/jobs/view/3812345678/",
            "https://www.linkedin.com@example.com/jobs/view/3812345678/",
            "https://user@www.linkedin.com/jobs/view/3812345678/",
            "https://www.linkedin.com:8443/jobs/view/3812345678/",
            "https://www.linkedin.com/jobs/view/engineer/",
            "https://www.linkedin.com/company/3812345678/",
            "https://www.linkedin.com/jobs/search/?currentJobId=../x",
            "urn:li:jobPosting:abc",
            "file:///etc/passwd",
        ] {
            let error = job_id(text).unwrap_err();

            assert_eq!(error.parameter(), Some("url"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn result_is_a_number(text in "(https://([a-z]{2}\\.)?linkedin\\.com/jobs/view/[a-z0-9/-]{0,30}|\\PC{0,40})") {
            if let Ok(id) = job_id(&text) {
                prop_assert!(is_id(&id));
            }
        }
    }
}
