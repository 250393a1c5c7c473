//! Page of one posting.

use std::ops::Range;
use std::time::{Duration, Instant};

use html_text::{Event, Events, Options, to_text_with};
use tool_json::text::visible;

use super::elements::elements;
use crate::door::one_line;

const TITLE: &str = "top-card-layout__title";
const COMPANY: &str = "topcard__org-name-link";
const FLAVOR: &str = "topcard__flavor--bullet";
const POSTED: &str = "posted-time-ago__text";
const APPLICANTS: &str = "num-applicants__caption";
const MARKUP: &str = "show-more-less-html__markup";
const CRITERION: &str = "description__job-criteria-item";
const SALARY: &str = "compensation__salary";
const CLOSED: [&str; 3] = [
    "closed-job",
    "closed-job__flavor--closed",
    "topcard__flavor--closed",
];
/// Maximum length of a description in characters.
const DESCRIPTION_CHARS: usize = 30_000;
const HTML_TIME: Duration = Duration::from_secs(2);
const LINE: usize = 300;

/// Posting with its description.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Posting {
    pub(super) title: String,
    pub(super) company: String,
    pub(super) location: String,
    pub(super) posted: String,
    pub(super) applicants: String,
    pub(super) salary: String,
    pub(super) seniority: String,
    pub(super) employment_type: String,
    pub(super) functions: String,
    pub(super) industries: String,
    pub(super) is_closed: bool,
    pub(super) description: String,
    /// Whether the description is longer.
    pub(super) is_cut: bool,
}

impl Posting {
    /// Reads a page, or returns `None` if it has no title.
    pub(super) fn read(html: &str) -> Option<Self> {
        let mut classes = vec![
            TITLE, COMPANY, APPLICANTS, FLAVOR, POSTED, MARKUP, CRITERION, SALARY,
        ];
        classes.extend(CLOSED);
        let mut posting = Self::default();
        for element in elements(html, &classes, &[]) {
            let line = one_line(&element.text, LINE);
            match element.name {
                TITLE => set(&mut posting.title, line),
                COMPANY => set(&mut posting.company, line),
                FLAVOR => set(&mut posting.location, line),
                POSTED => set(&mut posting.posted, line),
                APPLICANTS => set(&mut posting.applicants, line),
                SALARY => set(&mut posting.salary, line),
                CRITERION => posting.criterion(html, element.inner),
                MARKUP if posting.description.is_empty() => {
                    posting.describe(html.get(element.inner).unwrap_or_default());
                }
                name if CLOSED.contains(&name) => posting.is_closed = true,
                _ => {}
            }
        }
        (!posting.title.is_empty()).then_some(posting)
    }

    /// Reads a label and its value.
    fn criterion(&mut self, html: &str, inner: Range<usize>) {
        let inner = html.get(inner).unwrap_or_default();
        let texts = Events::new(inner).filter_map(|event| match event {
            Event::Text(text) => Some(one_line(&text, LINE)).filter(|text| !text.is_empty()),
            _ => None,
        });
        let mut texts = texts.take(20);
        let label = texts.next().unwrap_or_default().to_lowercase();
        let value = one_line(&texts.collect::<Vec<_>>().join(" "), LINE);
        let field = match label.as_str() {
            "seniority level" => &mut self.seniority,
            "employment type" => &mut self.employment_type,
            "job function" => &mut self.functions,
            "industries" => &mut self.industries,
            _ => return,
        };
        set(field, value);
    }

    fn describe(&mut self, html: &str) {
        let options = Options::new().with_deadline(Instant::now() + HTML_TIME);
        let page = to_text_with(html, &options);
        let mut shown = visible(&page.text);
        let text: String = shown.by_ref().take(DESCRIPTION_CHARS).collect();
        self.is_cut = page.truncated || shown.next().is_some();
        text.trim().clone_into(&mut self.description);
    }
}

/// Sets a field that is empty.
fn set(field: &mut String, value: String) {
    if field.is_empty() {
        *field = value;
    }
}
