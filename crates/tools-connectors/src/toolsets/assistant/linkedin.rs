//! LinkedIn under the names of the source document.

use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{Presentation, Toolset};

use super::super::document::{documented, text};
use crate::ConnectorsError;
use crate::linkedin::{JobDetailOutput, JobsOutput, LinkedIn, LinkedInJobDetail, LinkedInJobs};

const AGES: [&str; 4] = ["past_hour", "past_24_hours", "past_week", "past_month"];
const JOB_TYPES: [&str; 7] = [
    "full_time",
    "part_time",
    "contract",
    "temporary",
    "internship",
    "volunteer",
    "other",
];
const PLACES: [&str; 3] = ["on_site", "remote", "hybrid"];
const LEVELS: [&str; 6] = [
    "internship",
    "entry",
    "associate",
    "mid_senior",
    "director",
    "executive",
];
const ORDERS: [&str; 2] = ["relevance", "date"];

/// Adds the tools of LinkedIn.
pub(crate) fn add(toolset: Toolset, linkedin: &LinkedIn) -> Result<Toolset, ConnectorsError> {
    let service = linkedin.service()?;
    Ok(toolset
        .tool(&Arc::new(LinkedInJobs::of(service.clone())), jobs())?
        .tool(&Arc::new(LinkedInJobDetail::of(service)), detail())?)
}

fn jobs() -> Presentation<JobsOutput> {
    let description = "Search LinkedIn job postings by keyword, location, date, job type, remote filter, experience level, and sort order.";
    let age = one_of(&AGES, "Maximum age of the posting");
    let job_type = one_of(&JOB_TYPES, "Type of employment");
    let place = one_of(&PLACES, "Place of work");
    let level = one_of(&LEVELS, "Required experience");
    let order = one_of(&ORDERS, "Order of the results (default: relevance)");
    documented(
        "linkedin_jobs",
        description,
        [
            ("keyword", "keyword", text("Job title, skill or company")),
            ("location", "location", text("City, region or country")),
            ("date_posted", "datePosted", age),
            ("job_type", "jobType", job_type),
            ("remote", "remote", place),
            ("experience_level", "experienceLevel", level),
            ("sort", "sort", order),
        ],
    )
    .alias("limit", "limit")
    .alias("offset", "offset")
    .alias("geo_id", "geo_id")
}

fn detail() -> Presentation<JobDetailOutput> {
    documented(
        "linkedin_job_detail",
        "Fetch the full job description from a LinkedIn job URL.",
        [("url", "url", text("LinkedIn job URL"))],
    )
}

/// Returns the schema of a string with these values.
fn one_of(values: &[&str], description: &str) -> Value {
    json!({"type": "string", "enum": values, "description": description})
}
