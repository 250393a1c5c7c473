//! Lists of tools.

use std::sync::{Arc, Mutex};

use rmcp::model::{CacheScope, ErrorData, ListToolsResult, MetaObject, Tool, ToolAnnotations};

use serde_json::{Map, Value, json};
use tool_core::{Registry, ToolDefinition};

use super::client::{identity_of, is_current};
use super::{Context, LIST_TTL, RegistryHandler, Reply};

use crate::locked;

/// Number of tools of a page.
const PAGE: usize = 250;

/// Beginning of a cursor; the name of the last listed tool follows.
const CURSOR: &str = "after:";

/// Tools of a registry, converted once per generation and sorted by name.
pub(super) struct ServedTools {
    registry: Registry,
    cached: Mutex<Option<(u64, Arc<[Tool]>)>>,
}

impl ServedTools {
    pub(super) fn new(registry: Registry) -> Self {
        Self {
            registry,
            cached: Mutex::new(None),
        }
    }

    /// Returns the tools of the current generation.
    fn all(&self) -> Arc<[Tool]> {
        let generation = self.registry.generation();
        let mut cached = locked(&self.cached);
        if let Some((known, tools)) = &*cached
            && *known == generation
        {
            return Arc::clone(tools);
        }
        let definitions = self.registry.list();
        let mut tools: Vec<Tool> = definitions.iter().map(wire_tool).collect();
        tools.sort_by(|left, right| left.name.cmp(&right.name));
        // Shared, because a page is cut from it for every request.
        let tools: Arc<[Tool]> = tools.into();
        *cached = Some((generation, Arc::clone(&tools)));
        tools
    }

    /// Returns the page after a cursor and the next cursor, or `None` for an invalid cursor. A page starts after a name,
    /// so that it stays correct if tools were added or removed.
    fn page(&self, cursor: Option<&str>) -> Option<(Vec<Tool>, Option<String>)> {
        let tools = self.all();
        let first = match cursor {
            Some(cursor) => {
                let after = cursor.strip_prefix(CURSOR)?;
                tools.partition_point(|tool| &*tool.name <= after)
            }
            None => 0,
        };
        let rest = tools.get(first..).unwrap_or_default();
        let page = rest.get(..PAGE.min(rest.len())).unwrap_or_default();
        let last = page.last().filter(|_| rest.len() > PAGE);
        let next_cursor = last.map(|last| format!("{CURSOR}{}", last.name));
        Some((page.to_vec(), next_cursor))
    }

    /// Returns the tool with a name.
    pub(super) fn get(&self, name: &str) -> Option<Tool> {
        let tools = self.all();
        let found = tools.binary_search_by(|tool| (*tool.name).cmp(name));
        tools.get(found.ok()?).cloned()
    }
}

fn wire_tool(definition: &ToolDefinition) -> Tool {
    let object = |schema: &Value| schema.as_object().cloned().map(Arc::new);
    let hints = definition.hints();
    let annotations = ToolAnnotations::new()
        .read_only(hints.read_only)
        .destructive(hints.destructive)
        .idempotent(hints.idempotent)
        .open_world(hints.open_world);
    let risk = (
        "toolwright/risk".to_owned(),
        json!(definition.risk().as_str()),
    );
    let mut tool = Tool::new(
        definition.name().to_owned(),
        definition.description().to_owned(),
        object(definition.input_schema()).unwrap_or_default(),
    )
    .with_annotations(annotations)
    .with_meta(MetaObject::from(Map::from_iter([risk])));
    tool.title = definition.title().map(str::to_owned);
    tool.output_schema = definition.output_schema().and_then(object);
    tool
}

impl RegistryHandler {
    /// Returns a page of the tools of a client.
    pub(super) fn tools(&self, cursor: Option<&str>, context: &Context) -> Reply<ListToolsResult> {
        let has_views = self.0.server.view_for.is_some();
        let page = if has_views {
            let registry = self.registry_for(&identity_of(context));
            ServedTools::new(registry).page(cursor)
        } else {
            self.0.tools.page(cursor)
        };
        let (tools, next_cursor) = page.ok_or_else(|| {
            ErrorData::invalid_params("the cursor is invalid; list again without a cursor", None)
        })?;
        let mut list = ListToolsResult::with_all_items(tools);
        list.next_cursor = next_cursor;
        if !is_current(context) {
            return Ok(list);
        }
        // Caches may share a list that is the same for all clients.
        let scope = if has_views {
            CacheScope::Private
        } else {
            CacheScope::Public
        };
        Ok(list.with_ttl_ms(LIST_TTL).with_cache_scope(scope))
    }
}

#[cfg(test)]
mod tests {
    use tool_core::{DynamicTool, ToolOutput};

    use super::*;

    fn register(registry: &Registry, name: &str) {
        let definition = ToolDefinition::new(name, "T.", json!({"type": "object"}));
        let tool = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("x")) });
        registry.register(tool).unwrap();
    }

    fn names(page: &[Tool]) -> Vec<&str> {
        page.iter().map(|tool| &*tool.name).collect()
    }

    #[test]
    fn pages_stay_correct_if_tools_change() {
        let registry = Registry::new();
        (0..600).for_each(|number| register(&registry, &format!("tool{number:03}")));
        let tools = ServedTools::new(registry.clone());

        let (first, cursor) = tools.page(None).unwrap();
        assert!(registry.unregister("tool249").is_some());
        register(&registry, "tool100b");
        let (second, cursor) = tools.page(cursor.as_deref()).unwrap();
        let (third, last) = tools.page(cursor.as_deref()).unwrap();

        assert_eq!(
            (names(&first)[0], names(&first)[249]),
            ("tool000", "tool249")
        );
        assert_eq!(
            (names(&second)[0], names(&second)[249]),
            ("tool250", "tool499")
        );
        assert_eq!((third.len(), last), (100, None));
        assert!(tools.get("tool100b").is_some() && tools.get("tool249").is_none());
    }

    #[test]
    fn rejects_invalid_cursor() {
        let tools = ServedTools::new(Registry::new());

        assert!(tools.page(Some("other")).is_none());
        assert_eq!(names(&tools.page(Some("after:x")).unwrap().0), [""; 0]);
    }
}
