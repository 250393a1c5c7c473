//! Searching the text of files.

mod content;
mod hits;
mod lines;
mod query;
mod render;
mod search_code;
mod searcher;

pub use hits::SearchMatch;
pub use query::InvalidExpression;
pub use search_code::{SearchCode, SearchCodeInput, SearchCodeOutput};
