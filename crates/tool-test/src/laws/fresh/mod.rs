//! Laws that need a new tool in a new folder for every call: what dropped calls leave, and what calls at once do.

mod dropped;
mod making;
mod meeting;

pub(super) use making::Fresh;
