//! LinkedIn under the names of the source document.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use tool_core::Toolset;

use super::{Documented, add as documented};
use crate::ConnectorsError;
use crate::arguments::OneOrMany;
use crate::linkedin::{
    DatePosted, ExperienceLevel, Filter, JobDetailInput, JobType, JobsInput, LinkedIn,
    LinkedInJobDetail, LinkedInJobs, SortOrder, Workplace,
};

/// Adds the tools of LinkedIn.
pub(crate) fn add(toolset: Toolset, linkedin: &LinkedIn) -> Result<Toolset, ConnectorsError> {
    let service = linkedin.service()?;
    let toolset = documented::<Jobs>(
        toolset,
        "linkedin_jobs",
        "Search LinkedIn job postings by keyword, location, date, job type, remote filter, experience level, and sort order.",
        LinkedInJobs::of(service.clone()),
    )?;
    documented::<JobDetail>(
        toolset,
        "linkedin_job_detail",
        "Fetch the full job description from a LinkedIn job URL.",
        LinkedInJobDetail::of(service),
    )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Jobs {
    /// Job title, skill or company
    keyword: String,
    /// City, region or country
    location: Option<String>,
    /// Maximum age of the posting
    #[serde(rename = "datePosted", default)]
    #[schemars(schema_with = "names::<DatePosted>")]
    date_posted: Option<DatePosted>,
    /// Type of employment
    #[serde(rename = "jobType", default)]
    #[schemars(schema_with = "names::<JobType>")]
    job_type: Option<JobType>,
    /// Place of work
    #[serde(default)]
    #[schemars(schema_with = "names::<Workplace>")]
    remote: Option<Workplace>,
    /// Required experience
    #[serde(rename = "experienceLevel", default)]
    #[schemars(schema_with = "names::<ExperienceLevel>")]
    experience_level: Option<ExperienceLevel>,
    /// Order of the results (default: relevance)
    #[serde(default)]
    #[schemars(schema_with = "names::<SortOrder>")]
    sort: Option<SortOrder>,
    /// Number of results to skip, at most 990, from the `next_offset` of an earlier call.
    #[schemars(range(max = 990))]
    offset: Option<u32>,
}

/// Returns the schema of one value of a filter, without the meanings of the values.
fn names<F: Filter>(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": F::NAMES})
}

impl Documented for Jobs {
    type Tool = LinkedInJobs;

    const RENAMED: &[(&str, &str)] = &[
        ("date_posted", "datePosted"),
        ("job_type", "jobType"),
        ("experience_level", "experienceLevel"),
    ];
    const HIDDEN: &[&str] = &["offset"];

    fn request(self) -> JobsInput {
        let own = JobsInput::of(self.keyword);
        JobsInput {
            location: self.location,
            date_posted: self.date_posted,
            job_type: several(self.job_type),
            remote: several(self.remote),
            experience_level: several(self.experience_level),
            sort: self.sort.unwrap_or(own.sort),
            offset: self.offset.unwrap_or(own.offset),
            ..own
        }
    }
}

fn several<T>(value: Option<T>) -> OneOrMany<T> {
    value.map(OneOrMany::One).unwrap_or_default()
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct JobDetail {
    /// LinkedIn job URL
    url: String,
}

impl Documented for JobDetail {
    type Tool = LinkedInJobDetail;

    fn request(self) -> JobDetailInput {
        JobDetailInput { url: self.url }
    }
}
