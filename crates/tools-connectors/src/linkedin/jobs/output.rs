//! Found jobs for the model.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::linkedin::cards::Card;
use crate::linkedin::detail::address;

/// Found jobs.
///
/// # Examples
/// ```
/// use tools_connectors::linkedin::JobsOutput;
///
/// let output = JobsOutput::default();
/// assert!(output.jobs.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct JobsOutput {
    /// Jobs. Their text is untrusted.
    pub jobs: Vec<JobSummary>,
    /// Requested filters and their effect.
    pub filters: BTreeMap<String, FilterReport>,
    /// Number of jobs that contradicted a filter and were dropped.
    pub dropped: usize,
    /// Offset of the next jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
    /// Whether the search ended early.
    pub truncated: bool,
    /// Keyword of the search.
    pub keyword: String,
}

/// Job in the results of a search.
///
/// # Examples
/// See [`JobsOutput`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct JobSummary {
    /// ID of the posting.
    pub id: String,
    /// Title.
    pub title: String,
    /// Company.
    pub company: String,
    /// Location.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub location: String,
    /// Date of the posting, such as `2026-11-02`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub posted: String,
    /// Salary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salary: Option<String>,
    /// Address of the posting.
    pub url: String,
    /// Filters that LinkedIn may ignore, and whether the posting satisfies them.
    pub checks: BTreeMap<String, Check>,
}

/// Result of the check of a posting.
///
/// # Examples
/// ```
/// use tools_connectors::linkedin::Check;
///
/// assert_eq!(serde_json::to_value(Check::Confirmed)?, "confirmed");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Check {
    /// The posting satisfies the filter.
    Confirmed,
    /// The posting was not read, or does not state the value.
    Unchecked,
}

/// Requested filter and its effect.
///
/// # Examples
/// See [`JobsOutput`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct FilterReport {
    /// Requested values.
    pub asked: Vec<String>,
    /// Effect on the results.
    pub effect: FilterEffect,
}

/// Effect of a filter.
///
/// # Examples
/// ```
/// use tools_connectors::linkedin::FilterEffect;
///
/// assert_eq!(serde_json::to_value(FilterEffect::ByService)?, "by_service");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FilterEffect {
    /// LinkedIn applied the filter.
    ByService,
    /// All returned postings satisfy the filter.
    Checked,
    /// LinkedIn may have ignored the filter; each job states whether it was checked.
    Unchecked,
}

impl FilterEffect {
    fn words(self) -> &'static str {
        match self {
            Self::ByService => "applied by LinkedIn",
            Self::Checked => "checked",
            Self::Unchecked => "unchecked",
        }
    }
}

impl JobSummary {
    pub(super) fn of(card: Card, checks: BTreeMap<String, Check>) -> Self {
        Self {
            url: address(&card.id),
            id: card.id,
            title: card.title,
            company: card.company,
            location: card.location,
            posted: card.posted,
            salary: Some(card.salary).filter(|salary| !salary.is_empty()),
            checks,
        }
    }

    fn write(&self, number: usize, text: &mut String) {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n\n{number}. {}", self.title);
        let fields = [
            ("Posted", self.posted.as_str()),
            ("Company", &self.company),
            ("Location", &self.location),
            ("Salary", self.salary.as_deref().unwrap_or_default()),
            ("ID", &self.id),
        ];
        for (name, value) in fields {
            if !value.is_empty() {
                let _ = write!(text, "\n   {name}: {value}");
            }
        }
        let is_unchecked = |check: &(&String, &Check)| *check.1 == Check::Unchecked;
        let unchecked: Vec<&str> = self
            .checks
            .iter()
            .filter(is_unchecked)
            .map(|(name, _)| name.as_str())
            .collect();
        if !unchecked.is_empty() {
            let _ = write!(text, "\n   Unchecked: {}", unchecked.join(", "));
        }
    }
}

impl JobsOutput {
    /// Returns the jobs as text for the model.
    pub(super) fn text(&self) -> String {
        let keyword = &self.keyword;
        let mut text = match self.jobs.len() {
            0 => format!("No jobs for \"{keyword}\"."),
            1 => format!("1 job for \"{keyword}\":"),
            many => format!("{many} jobs for \"{keyword}\":"),
        };
        for (number, job) in (1..).zip(&self.jobs) {
            job.write(number, &mut text);
        }
        let shown = self.filters.iter().filter(|(name, _)| *name != "keyword");
        let filters: Vec<String> = shown
            .map(|(name, filter)| {
                let asked = filter.asked.join(", ");
                format!("{name} {asked} ({})", filter.effect.words())
            })
            .collect();
        // Writing to a String cannot fail.
        if !filters.is_empty() {
            let _ = write!(text, "\n\nFilters: {}", filters.join("; "));
        }
        if self.dropped > 0 {
            let _ = write!(
                text,
                "\n\nJobs that contradicted a filter and were dropped: {}",
                self.dropped
            );
        }
        if let Some(next) = self.next_offset {
            let _ = write!(text, "\n\nMore jobs: `offset` {next}");
        }
        text
    }
}
