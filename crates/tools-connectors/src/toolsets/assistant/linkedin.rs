//! LinkedIn under the names of the source document.

use std::sync::Arc;

use serde_json::json;
use tool_core::{Presentation, Toolset};

use super::super::document::documented;
use crate::ConnectorsError;
use crate::linkedin::{JobDetailOutput, JobsOutput, LinkedIn, LinkedInJobDetail, LinkedInJobs};

/// Adds the tools of LinkedIn.
pub(crate) fn add(toolset: Toolset, linkedin: &LinkedIn) -> Result<Toolset, ConnectorsError> {
    let service = linkedin.service()?;
    Ok(toolset
        .tool(&Arc::new(LinkedInJobs::of(service.clone())), jobs())?
        .tool(&Arc::new(LinkedInJobDetail::of(service)), detail())?)
}

fn jobs() -> Presentation<JobsOutput> {
    let description = "Search LinkedIn job postings by keyword, location, date, job type, remote filter, experience level, and sort order.";
    let schemas = json!({
        "keyword": {"type": "string", "description": "Job title, skill or company"},
        "location": {"type": "string", "description": "City, region or country"},
        "date_posted": {
            "type": "string",
            "enum": ["past_hour", "past_24_hours", "past_week", "past_month"],
            "description": "Maximum age of the posting",
        },
        "job_type": {
            "type": "string",
            "enum": ["full_time", "part_time", "contract", "temporary", "internship", "volunteer", "other"],
            "description": "Type of employment",
        },
        "remote": {
            "type": "string",
            "enum": ["on_site", "remote", "hybrid"],
            "description": "Place of work",
        },
        "experience_level": {
            "type": "string",
            "enum": ["internship", "entry", "associate", "mid_senior", "director", "executive"],
            "description": "Required experience",
        },
        "sort": {
            "type": "string",
            "enum": ["relevance", "date"],
            "description": "Order of the results (default: relevance)",
        },
    });
    let renamed = [
        ("date_posted", "datePosted"),
        ("job_type", "jobType"),
        ("experience_level", "experienceLevel"),
    ];
    documented("linkedin_jobs", description, &schemas, &renamed)
        .alias("limit", "limit")
        .alias("offset", "offset")
        .alias("geo_id", "geo_id")
}

fn detail() -> Presentation<JobDetailOutput> {
    let description = "Fetch the full job description from a LinkedIn job URL.";
    let schemas = json!({"url": {"type": "string", "description": "LinkedIn job URL"}});
    documented("linkedin_job_detail", description, &schemas, &[])
}
