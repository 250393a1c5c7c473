//! Cards of search results.

use html_text::{Event, Events, to_text};
use schemars::JsonSchema;
use serde::Serialize;

use super::address::{address, id_of};
use super::elements::{Element, elements};
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
