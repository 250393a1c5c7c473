//! Searching the text of files.

mod belt;
mod crew;
mod file_search;
mod hits;
mod lines;
mod pace;
mod query;
mod render;
mod search_code;
mod searcher;
mod sieve;
mod stop;
mod tally;
mod task;
mod window;

pub use hits::SearchMatch;
pub use query::InvalidExpression;
pub(crate) use search_code::MAX_MATCHES;
pub use search_code::{SearchCode, SearchCodeInput, SearchCodeOutput};
