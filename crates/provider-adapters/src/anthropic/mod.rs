//! Messages of Anthropic.

mod budget;
mod decode;
mod results;
mod tools;

pub(crate) use budget::StrictBudget;
pub(crate) use decode::decode;
pub(crate) use results::encode;
pub(crate) use tools::{request, tool};
