//! Web search service.

use clap::Args;
use tools_builtin::Kit;

use crate::failure::Failure;

/// Service for `web_search`, which requires a key.
#[derive(Debug, Args)]
pub(crate) struct SearchOptions {
    #[cfg(feature = "full")]
    /// File with a Brave Search API key; adds the tool `web_search`.
    #[arg(long = "search-key-file", value_name = "F")]
    key_file: Option<std::path::PathBuf>,
    #[cfg(feature = "full")]
    /// Base URL of the search server, instead of Brave's; the default path is appended if it has
    /// none.
    #[arg(long = "search-url", value_name = "U", requires = "key_file")]
    url: Option<String>,
}

impl SearchOptions {
    #[cfg(feature = "full")]
    pub(crate) fn add_to(&self, kit: Kit) -> Result<Kit, Failure> {
        use tool_core::Secret;
        use tools_builtin::web::BraveSearch;

        let Some(file) = &self.key_file else {
            return Ok(kit);
        };
        let unreadable = |error| Failure::input("the search key cannot be read", error);
        let key = Secret::new(std::fs::read_to_string(file).map_err(unreadable)?);
        let unusable = |error| Failure::input("the search cannot be used", error);
        let mut provider = BraveSearch::new(&key).map_err(unusable)?;
        if let Some(url) = &self.url {
            provider = provider.with_base_url(url).map_err(unusable)?;
        }
        Ok(kit.with_search(std::sync::Arc::new(provider)))
    }

    /// Returns `kit` unchanged, because it has no web tools.
    #[cfg(not(feature = "full"))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "same signature with `full`"
    )]
    pub(crate) fn add_to(&self, kit: Kit) -> Result<Kit, Failure> {
        Ok(kit)
    }
}
