//! Web settings of a kit.

use std::sync::Arc;

use super::Kit;
use crate::web::{SearchProvider, WebFetch, WebSearch};

impl Kit {
    /// Sets the page fetcher. The default reaches only the public Internet.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::web::{AddressGuard, WebFetch};
    /// use tools_builtin::{Kit, Workspace};
    ///
    /// let scratch = Scratch::new();
    /// let guard = AddressGuard::new().allow_host("wiki.internal")?;
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_web(WebFetch::new().with_guard(guard));
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_web(mut self, web_fetch: WebFetch) -> Self {
        self.web.web_fetch = Arc::new(web_fetch);
        self
    }

    /// Sets the provider for web searches. Without one, toolsets have no search tool.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::{Registry, Secret};
    /// use tool_test::Scratch;
    /// use tools_builtin::web::BraveSearch;
    /// use tools_builtin::{Kit, Workspace, toolsets};
    ///
    /// let scratch = Scratch::new();
    /// let brave = BraveSearch::new(&Secret::new("a key of yours".to_owned()))?;
    /// let kit = Kit::new(Workspace::open(scratch.path())?).with_search(Arc::new(brave));
    /// let registry = Registry::builder().toolset(&toolsets::standard(&kit)?)?.build();
    /// assert!(registry.get("web_search").is_some());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_search(mut self, provider: Arc<dyn SearchProvider>) -> Self {
        self.web.web_search = Some(Arc::new(WebSearch::new(provider)));
        self
    }
}
