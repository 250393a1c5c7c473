//! Search over the pages of results.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tool_core::ToolContext;

use super::checks::{check, needs_postings};
use super::{Check, FilterEffect, FilterReport, JobSummary, JobsInput, JobsOutput, MAX_OFFSET};
use crate::door::{Deadline, Problem};
use crate::linkedin::cards::Card;
use crate::linkedin::filters::{Filter as _, SortOrder, Workplace, joined, names};
use crate::linkedin::posting::Posting;
use crate::linkedin::service::Service;

const MAX_LIMIT: i64 = 50;
/// Number of cards of a complete page.
const PAGE: u32 = 10;
const MAX_PAGES: usize = 8;
/// Maximum number of postings that are read to check filters.
const MAX_POSTINGS: usize = 10;
const POSTINGS_TIME: Duration = Duration::from_secs(40);

/// Search of one call.
pub(super) struct Search<'s> {
    service: &'s Service,
    input: &'s JobsInput,
    cx: &'s ToolContext,
    deadline: Deadline,
}

/// Cards of the read pages.
#[derive(Default)]
struct Found {
    cards: Vec<Card>,
    broken: usize,
    next_offset: Option<u32>,
    truncated: bool,
}

impl<'s> Search<'s> {
    pub(super) fn new(service: &'s Service, input: &'s JobsInput, cx: &'s ToolContext) -> Self {
        Self {
            service,
            input,
            cx,
            deadline: Deadline::of(cx),
        }
    }

    pub(super) async fn run(&self) -> Result<JobsOutput, Problem> {
        let found = self.cards().await?;
        if found.broken > 0 {
            let count = found.broken;
            self.cx.warn(format!(
                "{count} results without a title or an ID were omitted."
            ));
        }
        let mut output = JobsOutput {
            next_offset: found.next_offset.filter(|next| *next <= MAX_OFFSET),
            truncated: found.truncated,
            keyword: self.input.keyword.clone(),
            ..JobsOutput::default()
        };
        let postings = self.postings(&found.cards).await;
        for (place, card) in found.cards.into_iter().enumerate() {
            let posting = postings.get(place).and_then(Option::as_deref);
            match check(self.input, &card, posting) {
                Some(checks) => output.jobs.push(JobSummary::of(card, checks)),
                None => output.dropped += 1,
            }
        }
        if self.input.sort == SortOrder::Date {
            output.jobs.sort_by(|a, b| b.posted.cmp(&a.posted));
        }
        output.filters = self.filters(&output);
        Ok(output)
    }

    /// Returns the parameters of the search, without its start.
    fn query(&self) -> Vec<(&'static str, String)> {
        let input = self.input;
        let mut keywords = input.keyword.trim().to_owned();
        // The service ignores the filter, but not the word.
        if input.remote.values() == [Workplace::Remote]
            && !keywords.to_lowercase().contains("remote")
        {
            keywords.push_str(" remote");
        }
        let mut query = vec![("keywords", keywords)];
        let mut add = |name, value: Option<String>| {
            query.extend(value.map(|value| (name, value)));
        };
        add("location", input.location.clone());
        add("geoId", input.geo_id.clone());
        add("f_TPR", input.date_posted.map(|age| age.wire().to_owned()));
        add("f_JT", joined(input.job_type.values()));
        add("f_WT", joined(input.remote.values()));
        add("f_E", joined(input.experience_level.values()));
        add("sortBy", Some(input.sort.wire().to_owned()));
        query
    }

    /// Reads pages up to the limit. If a later page fails, the earlier ones are returned.
    async fn cards(&self) -> Result<Found, Problem> {
        let limit = usize::try_from(self.input.limit.clamp(1, MAX_LIMIT)).unwrap_or(1);
        let mut skipped = self.input.offset % PAGE;
        let mut start = self.input.offset - skipped;
        let (mut found, mut seen) = (Found::default(), HashSet::new());
        for number in 0..MAX_PAGES {
            let mut query = self.query();
            query.push(("start", start.to_string()));
            found.next_offset = Some(start + skipped);
            let page = match self.service.cards(&query, self.deadline).await {
                Ok(page) => page,
                Err(problem) if number == 0 => return Err(problem),
                Err(problem) => {
                    self.warn("The search ended early", problem);
                    found.truncated = true;
                    return Ok(found);
                }
            };
            found.broken += page.broken;
            let known = seen.len();
            for card in page.list.iter().skip(skipped as usize) {
                if found.cards.len() >= limit {
                    return Ok(found);
                }
                found.next_offset = found.next_offset.map(|next| next + 1);
                if seen.insert(card.id.clone()) {
                    found.cards.push(card.clone());
                }
            }
            let is_last = page.list.len() + page.broken < PAGE as usize;
            start += PAGE;
            skipped = 0;
            if is_last || seen.len() == known || start > MAX_OFFSET {
                found.next_offset = None;
                return Ok(found);
            }
            found.next_offset = Some(start);
            if found.cards.len() >= limit {
                return Ok(found);
            }
        }
        Ok(found)
    }

    /// Reads the first postings if a filter must be checked. The others are missing.
    async fn postings(&self, cards: &[Card]) -> Vec<Option<Arc<Posting>>> {
        if !needs_postings(self.input) {
            return Vec::new();
        }
        let deadline = self.deadline.at_most(POSTINGS_TIME);
        let mut postings = Vec::new();
        for card in cards.iter().take(MAX_POSTINGS) {
            match self.service.posting(&card.id, deadline).await {
                Ok(posting) => postings.push(Some(posting)),
                Err(Problem::NotFound(_)) => postings.push(None),
                Err(problem) => {
                    self.warn("Not all jobs were checked", problem);
                    break;
                }
            }
        }
        postings
    }

    fn warn(&self, sentence: &str, problem: Problem) {
        let error = self.service.error(problem);
        self.cx.warn(format!("{sentence}: {error}"));
    }

    /// Returns the requested filters and their effect on the results.
    fn filters(&self, output: &JobsOutput) -> BTreeMap<String, FilterReport> {
        let input = self.input;
        let mut filters = BTreeMap::new();
        let mut add = |name: &str, asked: Vec<String>, effect: FilterEffect| {
            if !asked.is_empty() {
                filters.insert(name.to_owned(), FilterReport { asked, effect });
            }
        };
        let list = |value: &Option<String>| value.iter().cloned().collect();
        add(
            "keyword",
            vec![input.keyword.clone()],
            FilterEffect::ByService,
        );
        add("location", list(&input.location), FilterEffect::ByService);
        add("geo_id", list(&input.geo_id), FilterEffect::ByService);
        let ages: Vec<_> = input.date_posted.into_iter().collect();
        for (name, asked) in [
            ("date_posted", names(&ages)),
            ("job_type", names(input.job_type.values())),
            ("remote", names(input.remote.values())),
            ("experience_level", names(input.experience_level.values())),
        ] {
            add(name, asked, effect(name, output));
        }
        if input.sort == SortOrder::Date {
            add("sort", vec!["date".to_owned()], FilterEffect::Checked);
        }
        filters
    }
}

/// Returns the effect of a filter that the service may ignore.
fn effect(name: &str, output: &JobsOutput) -> FilterEffect {
    let is_confirmed = |job: &JobSummary| job.checks.get(name) == Some(&Check::Confirmed);
    let is_empty = output.jobs.is_empty() && output.dropped == 0;
    if !is_empty && output.jobs.iter().all(is_confirmed) {
        FilterEffect::Checked
    } else {
        FilterEffect::Unchecked
    }
}
