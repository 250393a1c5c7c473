//! Usage and cost reports of an Anthropic organization.

mod admin;
mod amount;
mod input;
mod period;
mod usage;

pub use admin::AnthropicAdmin;
pub(crate) use input::{UsageAction, UsageInput};
pub(crate) use usage::AnthropicUsage;
