//! Search for jobs.

mod checks;
mod output;
mod search;
#[cfg(test)]
mod tests;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

use self::search::Search;
use super::filters::{DatePosted, ExperienceLevel, JobType, Several, SortOrder, Workplace};
use super::service::Service;
use crate::door::hints_of_reading;

pub use self::output::{Check, FilterEffect, FilterReport, JobSummary, JobsOutput};

const TIMEOUT: Duration = Duration::from_secs(90);
/// Maximum length of a search term in characters.
const MAX_TERM: usize = 200;
const MAX_OFFSET: u32 = 990;

/// Keyword and filters.
///
/// # Examples
/// ```
/// use tools_connectors::linkedin::{JobsInput, Workplace};
///
/// let input: JobsInput = serde_json::from_str(r#"{"keyword": "rust", "remote": ["remote", "hybrid"]}"#)?;
/// assert_eq!((input.limit, input.remote.values().len()), (10, 2));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct JobsInput {
    /// Title, skill or company, at most 200 characters.
    pub keyword: String,
    /// City, region or country, at most 200 characters.
    #[serde(default)]
    pub location: Option<String>,
    /// Maximum age of the posting.
    #[serde(default)]
    pub date_posted: Option<DatePosted>,
    /// Type of employment, or a list of types.
    #[serde(default)]
    pub job_type: Several<JobType>,
    /// Place of work, or a list of places.
    #[serde(default)]
    pub remote: Several<Workplace>,
    /// Required experience, or a list of levels.
    #[serde(default)]
    pub experience_level: Several<ExperienceLevel>,
    /// Order of the results.
    #[serde(default = "relevance")]
    pub sort: SortOrder,
    /// Maximum number of jobs, from 1 to 50. Values out of range are clamped.
    #[serde(default = "default_limit")]
    pub limit: i64,
    /// Number of results to skip, at most 990, from the `next_offset` of an earlier call.
    #[serde(default)]
    #[schemars(range(max = 990))]
    pub offset: u32,
    /// LinkedIn's number of a location, instead of its name.
    #[serde(default)]
    pub geo_id: Option<String>,
}

fn relevance() -> SortOrder {
    SortOrder::Relevance
}

fn default_limit() -> i64 {
    10
}

impl JobsInput {
    /// Creates the input of a search without filters.
    pub(crate) fn of(keyword: String) -> Self {
        Self {
            keyword,
            location: None,
            date_posted: None,
            job_type: Several::default(),
            remote: Several::default(),
            experience_level: Several::default(),
            sort: relevance(),
            limit: default_limit(),
            offset: 0,
            geo_id: None,
        }
    }

    fn check(&self) -> Result<(), ToolError> {
        check_term("keyword", &self.keyword)?;
        check_term("location", self.location.as_deref().unwrap_or("-"))?;
        if self.offset > MAX_OFFSET {
            let sentence = format!("is {}; at most {MAX_OFFSET} is allowed", self.offset);
            return Err(ToolError::invalid_arguments("offset", sentence)
                .suggest("Use a narrower search instead."));
        }
        let geo_id = self.geo_id.as_deref().unwrap_or("0");
        let is_number = geo_id.bytes().all(|byte| byte.is_ascii_digit());
        if geo_id.is_empty() || geo_id.len() > 20 || !is_number {
            return Err(
                ToolError::invalid_arguments("geo_id", "is not the number of a location")
                    .suggest("Use `location` with a name instead."),
            );
        }
        Ok(())
    }
}

fn check_term(parameter: &str, text: &str) -> Result<(), ToolError> {
    let length = text.chars().count();
    let problem = if text.trim().is_empty() {
        "is empty".to_owned()
    } else if text.contains(char::is_control) {
        "contains control characters".to_owned()
    } else if length > MAX_TERM {
        format!("has {length} characters; at most {MAX_TERM} are allowed")
    } else {
        return Ok(());
    };
    Err(ToolError::invalid_arguments(parameter, problem).suggest("Use a few words on one line."))
}

/// Tool that searches for jobs.
///
/// # Examples
/// See [`toolsets::standard`](crate::toolsets::standard).
#[derive(Debug, Clone)]
pub struct LinkedInJobs(Service);

impl LinkedInJobs {
    pub(crate) fn of(service: Service) -> Self {
        Self(service)
    }
}

impl TypedTool for LinkedInJobs {
    type Input = JobsInput;
    type Output = JobsOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn hints(&self) -> Hints {
        hints_of_reading()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(TIMEOUT)
    }

    fn plan(&self, _cx: &ToolContext, input: &JobsInput) -> Result<CallPlan, ToolError> {
        input.check()?;
        Ok(CallPlan::of(Self::RISK))
    }

    async fn run(&self, cx: &ToolContext, input: JobsInput) -> Result<JobsOutput, ToolError> {
        input.check()?;
        let _place = self.0.place().await;
        let output = Search::new(&self.0, &input, cx).run().await;
        let output = output.map_err(|problem| self.0.error(problem))?;
        cx.note("untrusted_origin", "linkedin.com");
        Ok(output)
    }

    fn render(output: &JobsOutput) -> String {
        output.text()
    }
}
