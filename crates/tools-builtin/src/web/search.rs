//! Web search with a provider of the application's choice.

mod brave;
mod error;
mod plain;
mod provider;
mod web_search;

pub use brave::{BraveSearch, SearchSetupError};
pub use error::SearchError;
pub use provider::{SearchProvider, SearchResult};
pub use web_search::{WebSearch, WebSearchInput, WebSearchOutput};
