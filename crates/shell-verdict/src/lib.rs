#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod command_filter;
mod grant;
mod judgement;
mod limits;
mod parse;
mod paths;
mod settings;
mod syntax;
mod table;
mod value;
mod verdict;
mod walk;
pub mod words;

pub use command_filter::CommandFilter;
pub use grant::{Grant, ParseGrantError};
pub use judgement::{Finding, Judgement, SimpleCommand};
pub use limits::MAX_FINDINGS;
pub use verdict::{CommandRule, CommandVerdict};

#[cfg(test)]
mod tests;
