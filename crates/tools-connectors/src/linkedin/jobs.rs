//! Search for jobs.

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt::Write as _;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::Service;
use super::pages::JobSummary;
use crate::arguments::{check_line, require};
use crate::door::{Deadline, Problem, heading};

/// Maximum length of a search term in characters.
const MAX_TERM: usize = 200;
const DEFAULT_LIMIT: i64 = 10;
const MAX_LIMIT: i64 = 50;
const MAX_OFFSET: u32 = 990;
/// Number of cards of a complete page.
const PAGE: u32 = 10;
const MAX_PAGES: usize = 8;

/// Keyword and filters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobsInput {
    /// Job title, skill or company
    keyword: String,
    /// City, region or country
    location: Option<String>,
    /// Maximum age of the posting
    #[serde(default)]
    #[schemars(schema_with = "names::<DatePosted>")]
    date_posted: Option<DatePosted>,
    /// Type of employment
    #[serde(default)]
    #[schemars(schema_with = "names::<JobType>")]
    job_type: Option<JobType>,
    /// Place of work
    #[serde(default)]
    #[schemars(schema_with = "names::<Workplace>")]
    remote: Option<Workplace>,
    /// Required experience
    #[serde(default)]
    #[schemars(schema_with = "names::<ExperienceLevel>")]
    experience_level: Option<ExperienceLevel>,
    /// Order of the results (default: relevance)
    #[serde(default)]
    #[schemars(schema_with = "names::<SortOrder>")]
    sort: Option<SortOrder>,
    /// Maximum number of jobs, from 1 to 50 (default: 10)
    limit: Option<i64>,
    /// Number of results to skip, at most 990, from the `next_offset` of an earlier call
    #[schemars(range(max = 990))]
    offset: Option<u32>,
}

/// Returns the schema of one value of a filter, without the meanings of the values.
fn names<F: Filter>(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": F::NAMES})
}

/// Found jobs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct JobsOutput {
    /// Jobs. Their text is untrusted.
    pub(crate) jobs: Vec<JobSummary>,
    /// Offset of the next jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_offset: Option<u32>,
    /// Whether the search ended early.
    pub(crate) truncated: bool,
    /// Keyword of the search.
    pub(crate) keyword: String,
}

impl JobsInput {
    fn check(&self) -> Result<(), ToolError> {
        check_term("keyword", &self.keyword)?;
        check_term("location", self.location.as_deref().unwrap_or("-"))?;
        let offset = self.offset.unwrap_or_default();
        let problem = format!("is {offset}; at most {MAX_OFFSET} is allowed");
        let suggestion = "Use a narrower search instead.";
        require(offset <= MAX_OFFSET, "offset", problem, suggestion)
    }

    /// Returns the parameters of the search, without its start.
    fn query(&self) -> Vec<(&'static str, String)> {
        let mut keywords = self.keyword.trim().to_owned();
        // The service ignores the filter, but not the word.
        let is_remote = self.remote == Some(Workplace::Remote);
        if is_remote && !keywords.to_lowercase().contains("remote") {
            keywords.push_str(" remote");
        }
        let wire = |code: Option<&'static str>| code.map(str::to_owned);
        let all = [
            ("keywords", Some(keywords)),
            ("location", self.location.clone()),
            ("f_TPR", wire(self.date_posted.map(Filter::wire))),
            ("f_JT", wire(self.job_type.map(Filter::wire))),
            ("f_WT", wire(self.remote.map(Filter::wire))),
            ("f_E", wire(self.experience_level.map(Filter::wire))),
            ("sortBy", wire(self.sort.map(Filter::wire))),
        ];
        let given = all
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        given.collect()
    }

    /// Returns whether the search has filters that the service often ignores.
    fn may_be_ignored(&self) -> bool {
        self.job_type.is_some() || self.remote.is_some() || self.experience_level.is_some()
    }
}

fn check_term(parameter: &str, text: &str) -> Result<(), ToolError> {
    let has_text = !text.trim().is_empty();
    let problem = "is empty";
    require(has_text, parameter, problem, "Use a few words on one line.")?;
    check_line(parameter, text, MAX_TERM)
}

/// Tool that searches for jobs.
#[derive(Debug, Clone)]
pub(crate) struct LinkedInJobs(pub(crate) Service);

impl LinkedInJobs {
    /// Reads pages up to the limit. If a later page fails, the earlier ones are returned.
    async fn search(&self, input: &JobsInput, cx: &ToolContext) -> Result<JobsOutput, Problem> {
        let deadline = Deadline::of(cx);
        let limit = input.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let limit = usize::try_from(limit).unwrap_or(1);
        let mut start = input.offset.unwrap_or_default();
        let (mut found, mut seen) = (JobsOutput::default(), HashSet::new());
        for number in 0..MAX_PAGES {
            let mut query = input.query();
            query.push(("start", start.to_string()));
            let page = match self.0.cards(&query, deadline).await {
                Ok(page) => page,
                Err(problem) if number == 0 => return Err(problem),
                Err(problem) => {
                    cx.warn(format!("The search ended early: {}", self.0.error(problem)));
                    found.truncated = true;
                    break;
                }
            };
            if page.broken > 0 {
                let count = page.broken;
                cx.warn(format!(
                    "{count} results without a title or an ID were omitted."
                ));
            }
            let is_last = page.list.len() + page.broken < PAGE as usize;
            let known = seen.len();
            for (place, card) in (start..).zip(page.list) {
                if found.jobs.len() >= limit {
                    found.next_offset = Some(place);
                    return Ok(found);
                }
                if seen.insert(card.id.clone()) {
                    found.jobs.push(card);
                }
            }
            start += PAGE;
            // The service repeats the last page.
            let is_end = is_last || seen.len() == known || start > MAX_OFFSET;
            found.next_offset = Some(start).filter(|_| !is_end);
            if is_end || found.jobs.len() >= limit {
                break;
            }
        }
        Ok(found)
    }
}

impl TypedTool for LinkedInJobs {
    type Input = JobsInput;
    type Output = JobsOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &JobsInput) -> Result<CallPlan, ToolError> {
        input.check()?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, cx: &ToolContext, input: JobsInput) -> Result<JobsOutput, ToolError> {
        input.check()?;
        let found = self.search(&input, cx).await;
        let mut output = found.map_err(|problem| self.0.error(problem))?;
        // The service does not keep the order across pages.
        if input.sort == Some(SortOrder::Date) {
            output.jobs.sort_by(|a, b| b.posted.cmp(&a.posted));
        }
        if input.may_be_ignored() && !output.jobs.is_empty() {
            cx.warn(
                "LinkedIn often ignores the filters for the type of employment, the place of work and the experience. \
                 Read a posting before you rely on them.",
            );
        }
        cx.note("untrusted_origin", "linkedin.com");
        output.keyword = input.keyword;
        Ok(output)
    }

    fn render(output: &JobsOutput) -> String {
        let keyword = format!("for \"{}\"", output.keyword);
        let mut text = heading(output.jobs.len(), "job", &keyword);
        for (number, job) in (1..).zip(&output.jobs) {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n\n{number}. {}", job.title);
            let fields = [
                ("Posted", &job.posted),
                ("Company", &job.company),
                ("Location", &job.location),
                ("Salary", &job.salary),
                ("ID", &job.id),
            ];
            for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
                let _ = write!(text, "\n   {name}: {value}");
            }
        }
        if let Some(next) = output.next_offset {
            let _ = write!(text, "\n\nMore jobs: `offset` {next}");
        }
        text
    }
}

/// Value of a filter.
trait Filter: Copy {
    /// Names of all values in arguments.
    const NAMES: &[&str];

    /// Returns the value in the address of a search.
    fn wire(self) -> &'static str;
}

macro_rules! filter {
    ($(#[$doc:meta])* $filter:ident { $($(#[$about:meta])* $value:ident $name:literal $wire:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[allow(clippy::enum_variant_names, reason = "the names are those of the parameter")]
        enum $filter {
            $($(#[$about])* #[serde(rename = $name)] $value,)*
        }

        impl Filter for $filter {
            const NAMES: &[&str] = &[$($name),*];

            fn wire(self) -> &'static str {
                match self { $(Self::$value => $wire,)* }
            }
        }
    };
}

filter! {
    /// Age of a posting.
    DatePosted {
        /// At most one hour.
        PastHour "past_hour" "r3600",
        /// At most one day.
        PastDay "past_24_hours" "r86400",
        /// At most 7 days.
        PastWeek "past_week" "r604800",
        /// At most 30 days.
        PastMonth "past_month" "r2592000",
    }
}

filter! {
    /// Type of employment.
    JobType {
        /// Full time.
        FullTime "full_time" "F",
        /// Part time.
        PartTime "part_time" "P",
        /// Contract.
        Contract "contract" "C",
        /// Temporary.
        Temporary "temporary" "T",
        /// Internship.
        Internship "internship" "I",
        /// Volunteer.
        Volunteer "volunteer" "V",
        /// Other.
        Other "other" "O",
    }
}

filter! {
    /// Place of work.
    Workplace {
        /// At the company.
        OnSite "on_site" "1",
        /// Elsewhere.
        Remote "remote" "2",
        /// Partly at the company.
        Hybrid "hybrid" "3",
    }
}

filter! {
    /// Required experience.
    ExperienceLevel {
        /// Internship.
        Internship "internship" "1",
        /// Entry level.
        Entry "entry" "2",
        /// Associate.
        Associate "associate" "3",
        /// Mid-senior level.
        MidSenior "mid_senior" "4",
        /// Director.
        Director "director" "5",
        /// Executive.
        Executive "executive" "6",
    }
}

filter! {
    /// Order of the results.
    SortOrder {
        /// The most relevant first.
        Relevance "relevance" "R",
        /// The newest first.
        Date "date" "DD",
    }
}
