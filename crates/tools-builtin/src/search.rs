//! Search in the content of files.

mod file_search;
mod hits;
mod lines;
mod output;
mod prefilter;
mod query;
mod queue;
mod search_code;
mod searcher;
mod stop;
mod tally;

use std::sync::Arc;

use crate::workspace::Workspace;

#[cfg(feature = "document-sets")]
pub(crate) use output::MAX_MATCHES;
pub use output::{SearchCodeOutput, SearchMatch};
pub use query::InvalidExpression;
pub use search_code::{SearchCode, SearchCodeInput};

/// Search tools of one workspace.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearchTools {
    /// Searches the content of files.
    pub search_code: Arc<SearchCode>,
}

impl SearchTools {
    /// Creates the tools of `workspace`.
    #[must_use]
    pub fn new(workspace: &Workspace) -> Self {
        Self {
            search_code: Arc::new(SearchCode::new(workspace.clone())),
        }
    }
}
