//! Judging a shell command by what it would do, without running any of it.

mod command_filter;
mod limits;
mod parse;
mod paths;
mod program;
mod settings;
mod state;
mod syntax;
mod table;
mod value;
mod verdict;
mod walk;

pub use command_filter::CommandFilter;
pub use verdict::{Finding, Judgement, Rule, Verdict};

#[cfg(test)]
mod tests;
