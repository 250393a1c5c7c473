//! Search in the content of files.

mod file_search;
mod hits;
mod lines;
mod output;
mod query;
mod search_code;
mod searcher;
mod stop;
mod tally;

#[cfg(feature = "document-sets")]
pub(crate) use output::MAX_MATCHES;
pub use output::{SearchCodeOutput, SearchMatch};
pub use query::InvalidExpression;
pub use search_code::{SearchCode, SearchCodeInput};
