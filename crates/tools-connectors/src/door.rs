//! The only way from a tool to a service: pinned origins, size limits, retries and removal of
//! secrets.

mod base;
mod client;
mod deadline;
mod page_token;
mod problem;
mod request;
mod response;
mod retry;
mod secrets;
mod setup_error;
#[cfg(test)]
pub(crate) mod testing;

use tool_core::{Hints, RiskLevel};

pub(crate) use base::Base;
pub(crate) use client::Door;
#[cfg(test)]
pub(crate) use client::Pace;
pub(crate) use deadline::Deadline;
pub(crate) use page_token::check_token;
pub(crate) use problem::{Missing, Problem};
pub(crate) use request::{Repeat, Request};
pub(crate) use response::Response;
pub(crate) use secrets::Secrets;
pub use setup_error::SetupError;
pub(crate) use tool_json::text::one_line;

/// Returns the hints of a tool that only reads from a service.
pub(crate) fn hints_of_reading() -> Hints {
    Hints {
        open_world: true,
        ..Hints::of(RiskLevel::ReadOnly)
    }
}

#[cfg(test)]
mod tests;
