//! Searching the web.

mod search;

pub use search::{
    BraveSearch, SearchError, SearchProvider, SearchResult, SearchSetupError, WebSearch,
    WebSearchInput, WebSearchOutput,
};
