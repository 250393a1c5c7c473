//! Pages: their elements by class or attribute, the cards of search results, and addresses of postings.

use std::ops::Range;

use html_text::{Event, Events, StartTag, to_text};
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
        let classes = [CARD, TITLE, SUBTITLE, LOCATION, SALARY];
        let (mut all, mut start): (Vec<JobSummary>, _) = (Vec::new(), None);
        for element in elements(html, &classes, &[URN, DATE]) {
            // A card has the class, the attribute, or both.
            let is_start = element.name == CARD || element.name == URN;
            if is_start && start != Some(element.start) {
                start = Some(element.start);
                all.push(JobSummary::default());
            }
            if let Some(card) = all.last_mut() {
                card.take(&element);
            }
        }
        all.truncate(MAX_CARDS);
        let count = all.len();
        all.retain(|card| !card.id.is_empty() && !card.title.is_empty());
        // Pages with results have a form to log in too.
        let is_wall = all.is_empty() && is_wall(html);
        Self {
            broken: count - all.len(),
            is_changed: all.is_empty() && !is_wall && !to_text(html).text.trim().is_empty(),
            is_wall,
            list: all,
        }
    }
}

impl JobSummary {
    /// Takes a field. The first one wins.
    fn take(&mut self, element: &Element) {
        let line = |max_chars| one_line(&element.text, max_chars);
        let (field, text) = match element.name {
            URN => {
                if let Some(id) = id_of(&element.text).filter(|_| self.id.is_empty()) {
                    self.url = address(&id);
                    self.id = id;
                }
                return;
            }
            TITLE => (&mut self.title, line(LINE)),
            SUBTITLE => (&mut self.company, line(LINE)),
            LOCATION => (&mut self.location, line(LINE)),
            SALARY => (&mut self.salary, line(LINE)),
            DATE => (&mut self.posted, line(10)),
            _ => return,
        };
        if field.is_empty() {
            *field = text;
        }
    }
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

/// Maximum number of elements of a page.
const MAX_ELEMENTS: usize = 2000;
/// Maximum length of the text of an element in bytes.
const MAX_TEXT: usize = 4000;

/// Element with a known class, or the value of a known attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// Class or name of the attribute.
    pub(super) name: &'static str,
    /// Place of the start tag.
    pub(super) start: usize,
    /// Content of the element, or value of the attribute. Long content is truncated.
    pub(super) text: String,
    /// Place of the content.
    pub(super) inner: Range<usize>,
}

/// Element whose end is not reached.
struct Open<'a> {
    /// Index of the element.
    place: usize,
    tag: &'a str,
    /// Number of open elements with the same tag, including itself.
    depth: usize,
}

/// Returns the elements with these classes and attributes, in the order of their start tags. An element
/// with a known class ends the one that contains it.
pub(super) fn elements(
    html: &str,
    classes: &[&'static str],
    attributes: &[&'static str],
) -> Vec<Element> {
    let (mut found, mut open): (Vec<Element>, Option<Open<'_>>) = (Vec::new(), None);
    let mut events = Events::new(html);
    while let Some(event) = events.next() {
        let span = events.span();
        match event {
            Event::Start(_) if found.len() >= MAX_ELEMENTS => break,
            Event::Start(tag) => {
                for &name in attributes {
                    if let Some(value) = tag.attribute(name) {
                        found.push(element(name, &span, shortened(&value)));
                    }
                }
                if tag.is_empty {
                    continue;
                }
                if let Some(name) = known_class(&tag, classes) {
                    end(&mut found, open.as_ref(), span.start);
                    open = Some(Open {
                        place: found.len(),
                        tag: tag.name,
                        depth: 0,
                    });
                    found.push(element(name, &span, ""));
                }
                if let Some(open) = open.as_mut().filter(|open| is_same(open.tag, tag.name)) {
                    open.depth += 1;
                }
            }
            Event::End(name) => {
                let same = open.as_mut().filter(|open| is_same(open.tag, name));
                if same.is_some_and(|open| open.left() == 0) {
                    end(&mut found, open.take().as_ref(), span.start);
                }
            }
            Event::Text(text) => append(&mut found, open.as_ref(), &text),
            _ => {}
        }
    }
    end(&mut found, open.as_ref(), html.len());
    found
}

impl Open<'_> {
    /// Counts an end tag, and returns the number of those that are missing.
    fn left(&mut self) -> usize {
        self.depth = self.depth.saturating_sub(1);
        self.depth
    }
}

fn known_class(tag: &StartTag<'_>, classes: &[&'static str]) -> Option<&'static str> {
    let class = tag.attribute("class").unwrap_or_default();
    let mut own = class.split_ascii_whitespace();
    own.find_map(|own| classes.iter().copied().find(|known| *known == own))
}

/// Sets the end of the open element.
fn end(found: &mut [Element], open: Option<&Open<'_>>, end: usize) {
    if let Some(element) = open.and_then(|open| found.get_mut(open.place)) {
        element.inner.end = end;
    }
}

/// Appends to the text of the open element.
fn append(found: &mut [Element], open: Option<&Open<'_>>, text: &str) {
    if let Some(element) = open.and_then(|open| found.get_mut(open.place)) {
        let room = MAX_TEXT.saturating_sub(element.text.len());
        let end = text.floor_char_boundary(room);
        element.text.push_str(text.get(..end).unwrap_or_default());
    }
}

fn element(name: &'static str, span: &Range<usize>, text: &str) -> Element {
    Element {
        name,
        start: span.start,
        text: text.to_owned(),
        inner: span.end..span.end,
    }
}

fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn shortened(value: &str) -> &str {
    value
        .get(..value.floor_char_boundary(MAX_TEXT))
        .unwrap_or_default()
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
    fn finds_nested_and_unclosed_elements() {
        let html = "<div class='x a'>1<div>2</div><b class=b>&lt;3</b></div>4<p class=a id=5>6";

        let found = elements(html, &["a", "b"], &["id"]);

        let shown: Vec<(&str, &str, &str)> = found
            .iter()
            .map(|found| (found.name, found.text.as_str(), &html[found.inner.clone()]))
            .collect();
        assert_eq!(
            shown,
            [
                ("a", "12", "1<div>2</div>"),
                ("b", "<3", "&lt;3"),
                ("id", "5", ""),
                ("a", "6", "6"),
            ]
        );
    }

    #[test]
    fn number_and_text_of_elements_are_limited() {
        let many = "<b class=a></b>".repeat(MAX_ELEMENTS + 1);
        assert_eq!(elements(&many, &["a"], &[]).len(), MAX_ELEMENTS);
        let long = format!("<b class=a>{}", "ä".repeat(MAX_TEXT));
        assert_eq!(elements(&long, &["a"], &[])[0].text.len(), MAX_TEXT);
    }

    proptest! {
        #[test]
        fn places_are_within_the_page(html in "(</?[bi]( class='?a'?)?/?>?|[x&ä<]{0,3}){0,30}") {
            for found in elements(&html, &["a"], &["class"]) {
                prop_assert!(html.get(found.inner).is_some());
            }
        }
    }

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
