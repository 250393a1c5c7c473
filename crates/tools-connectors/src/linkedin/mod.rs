//! LinkedIn: search for jobs, and the details of a posting.
//!
//! Both tools read the public pages without a key or a log-in. Automated access is against LinkedIn's
//! user agreement: use them for your own job search, at this pace, or not at all.
//!
//! All clones of a [`LinkedIn`] share one pace of at least 1 second between requests and 20 requests
//! per minute. If LinkedIn rejects a request, no further one is sent for 15 minutes. Challenges are
//! not solved, and cookies are not kept.

mod address;
mod cards;
mod client;
mod detail;
mod elements;
mod filters;
mod identity;
mod jobs;
mod limits;
mod posting;
mod service;
#[cfg(test)]
mod testing;

pub use client::LinkedIn;
pub use detail::{JobDetailInput, JobDetailOutput, LinkedInJobDetail};
pub(crate) use filters::Filter;
pub use filters::{DatePosted, ExperienceLevel, JobType, Several, SortOrder, Workplace};
pub use jobs::{
    Check, FilterEffect, FilterReport, JobSummary, JobsInput, JobsOutput, LinkedInJobs,
};
