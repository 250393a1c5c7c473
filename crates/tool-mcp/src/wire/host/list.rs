//! Lists of tools.

use rmcp::model::{CacheScope, ErrorData, ListToolsResult};
use rmcp::service::{RequestContext, RoleServer};

use super::client::{identity_of, is_current};
use super::convert::wire_tool;
use super::{Host, LIST_TTL};
use crate::server::ServedTools;

impl Host {
    /// Returns a page of the tools of a client.
    pub(super) fn tools(
        &self,
        cursor: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let page = if self.0.server.view_for.is_some() {
            let registry = self.registry_for(&identity_of(context));
            ServedTools::new(registry).page(cursor)
        } else {
            self.0.tools.page(cursor)
        };
        let page = page.ok_or_else(|| {
            ErrorData::invalid_params("the cursor is invalid; list again without a cursor", None)
        })?;
        let tools = page.tools.get(page.first..page.end).unwrap_or_default();
        let mut list = ListToolsResult::with_all_items(tools.iter().map(wire_tool).collect());
        list.next_cursor = page.next_cursor;
        Ok(if is_current(context) {
            list.with_ttl_ms(LIST_TTL)
                .with_cache_scope(self.cache_scope())
        } else {
            list
        })
    }

    /// Returns whether caches may share a list between clients.
    fn cache_scope(&self) -> CacheScope {
        if self.0.server.view_for.is_some() {
            CacheScope::Private
        } else {
            CacheScope::Public
        }
    }
}
