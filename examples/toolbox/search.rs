//! Where searches of the web go.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tool_core::Secret;
use tools_builtin::Kit;
use tools_builtin::web::BraveSearch;

use crate::failure::Failure;

/// The service that `web_search` asks; without a key there is no such tool.
#[derive(Debug, Args)]
pub(crate) struct SearchOptions {
    /// A file with the key of Brave's search, which adds the tool `web_search`.
    #[arg(long = "search-key-file", value_name = "F")]
    key_file: Option<PathBuf>,
    /// Where searches go in place of Brave's own server; without a path, its path is added.
    #[arg(long = "search-url", value_name = "U", requires = "key_file")]
    url: Option<String>,
}

impl SearchOptions {
    pub(crate) fn add_to(&self, kit: Kit) -> Result<Kit, Failure> {
        let Some(file) = &self.key_file else {
            return Ok(kit);
        };
        let unreadable = |error| Failure::input("the search key cannot be read", error);
        let key = Secret::new(fs::read_to_string(file).map_err(unreadable)?);
        let unusable = |error| Failure::input("the search cannot be used", error);
        let mut provider = BraveSearch::new(&key).map_err(unusable)?;
        if let Some(url) = &self.url {
            provider = provider.with_base_url(url).map_err(unusable)?;
        }
        Ok(kit.with_search(Arc::new(provider)))
    }
}
