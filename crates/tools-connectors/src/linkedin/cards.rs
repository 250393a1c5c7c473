//! Cards of search results.

use html_text::to_text;

use super::elements::{Element, elements};
use super::identity::{id_of, is_wall};
use crate::door::one_line;

const CARD: &str = "base-card";
const TITLE: &str = "base-search-card__title";
const SUBTITLE: &str = "base-search-card__subtitle";
const LOCATION: &str = "job-search-card__location";
const SALARY: &str = "job-search-card__salary-info";
const URN: &str = "data-entity-urn";
const DATE: &str = "datetime";
/// Maximum number of cards of a page.
const MAX_CARDS: usize = 100;
const LINE: usize = 300;

/// Page of search results.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Cards {
    pub(super) list: Vec<Card>,
    /// Number of cards without a title or an ID.
    pub(super) broken: usize,
    /// Whether the page requires a log-in.
    pub(super) is_wall: bool,
    /// Whether the page has text, but no readable card.
    pub(super) is_changed: bool,
}

/// Posting in search results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Card {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) company: String,
    pub(super) location: String,
    /// Date such as `2026-11-02`.
    pub(super) posted: String,
    pub(super) salary: String,
}

impl Cards {
    pub(super) fn read(html: &str) -> Self {
        let classes = [CARD, TITLE, SUBTITLE, LOCATION, SALARY];
        let (mut all, mut start): (Vec<Card>, _) = (Vec::new(), None);
        for element in elements(html, &classes, &[URN, DATE]) {
            // A card has the class, the attribute, or both.
            let is_start = element.name == CARD || element.name == URN;
            if is_start && start != Some(element.start) {
                start = Some(element.start);
                all.push(Card::default());
            }
            if let Some(card) = all.last_mut() {
                card.take(&element);
            }
        }
        all.truncate(MAX_CARDS);
        let count = all.len();
        let is_readable = |card: &Card| !card.id.is_empty() && !card.title.is_empty();
        let cards: Vec<Card> = all.into_iter().filter(is_readable).collect();
        let is_wall = cards.is_empty() && is_wall(html);
        Self {
            broken: count - cards.len(),
            is_changed: cards.is_empty() && !is_wall && !to_text(html).text.trim().is_empty(),
            is_wall,
            list: cards,
        }
    }
}

impl Card {
    /// Takes a field. The first one wins.
    fn take(&mut self, element: &Element) {
        let (field, text) = match element.name {
            URN => (&mut self.id, id_of(&element.text).unwrap_or_default()),
            TITLE => (&mut self.title, one_line(&element.text, LINE)),
            SUBTITLE => (&mut self.company, one_line(&element.text, LINE)),
            LOCATION => (&mut self.location, one_line(&element.text, LINE)),
            SALARY => (&mut self.salary, one_line(&element.text, LINE)),
            DATE => (&mut self.posted, one_line(&element.text, 10)),
            _ => return,
        };
        if field.is_empty() {
            *field = text;
        }
    }
}
