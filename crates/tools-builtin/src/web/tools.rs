//! Group of the web tools.

use std::sync::Arc;

use super::{WebFetch, WebSearch};

/// Web tools.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WebTools {
    /// Fetches pages.
    pub web_fetch: Arc<WebFetch>,
    /// Searches the web, if the host has a [`SearchProvider`](super::SearchProvider).
    pub web_search: Option<Arc<WebSearch>>,
}
