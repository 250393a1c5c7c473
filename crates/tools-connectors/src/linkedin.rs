//! LinkedIn: search for jobs, and the details of a posting.
//!
//! Both tools read the public pages without a key or a log-in. Automated access is against LinkedIn's
//! user agreement: use them for your own job search, at this pace, or not at all.
//!
//! All clones of a [`LinkedIn`] share one pace: a pause of 3 seconds between requests by default, and
//! of at least 1 second. If LinkedIn rejects a request, no further one is sent for 15 minutes.
//! Challenges are not solved, and cookies are not kept.

mod address;
mod cards;
mod client;
mod detail;
mod elements;
mod filters;
mod jobs;
mod limits;
#[cfg(test)]
mod testing;

pub use client::LinkedIn;
pub(crate) use detail::{JobDetailInput, LinkedInJobDetail};
pub(crate) use filters::{DatePosted, ExperienceLevel, Filter, JobType, SortOrder, Workplace};
pub(crate) use jobs::{JobsInput, LinkedInJobs};
