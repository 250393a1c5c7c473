//! Tools as listed by a server.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tool_core::{Hints, Registry, ToolDefinition};

/// Number of tools of a page.
const PAGE: usize = 250;

/// Beginning of a cursor; the name of the last listed tool follows.
const CURSOR: &str = "after:";

/// Tool of a list.
#[derive(Debug)]
pub(crate) struct ServedTool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) input_schema: Arc<Map<String, Value>>,
    pub(crate) output_schema: Option<Arc<Map<String, Value>>>,
    pub(crate) hints: Hints,
    pub(crate) meta: Map<String, Value>,
}

impl ServedTool {
    fn of(definition: &ToolDefinition) -> Self {
        let object = |schema: &Value| schema.as_object().cloned().map(Arc::new);
        let mut meta = Map::new();
        meta.insert(
            "toolwright/risk".to_owned(),
            json!(definition.risk().as_str()),
        );
        Self {
            name: definition.name().to_owned(),
            title: definition.title().map(str::to_owned),
            description: definition.description().to_owned(),
            input_schema: object(definition.input_schema()).unwrap_or_default(),
            output_schema: definition.output_schema().and_then(object),
            hints: definition.hints(),
            meta,
        }
    }
}

/// Tools of a registry, converted once per generation and sorted by name.
pub(crate) struct ServedTools {
    registry: Registry,
    cached: Mutex<Option<(u64, Arc<[ServedTool]>)>>,
}

/// Page of a list.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) tools: Arc<[ServedTool]>,
    pub(crate) first: usize,
    pub(crate) end: usize,
    pub(crate) next_cursor: Option<String>,
}

impl ServedTools {
    pub(crate) fn new(registry: Registry) -> Self {
        Self {
            registry,
            cached: Mutex::new(None),
        }
    }

    /// Returns the tools of the current generation.
    pub(crate) fn all(&self) -> Arc<[ServedTool]> {
        let generation = self.registry.generation();
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, tools)) = &*cached
            && *known == generation
        {
            return Arc::clone(tools);
        }
        let definitions = self.registry.list();
        let mut tools: Vec<ServedTool> = definitions.iter().map(ServedTool::of).collect();
        tools.sort_by(|left, right| left.name.cmp(&right.name));
        let tools: Arc<[ServedTool]> = tools.into();
        *cached = Some((generation, Arc::clone(&tools)));
        tools
    }

    /// Returns the page after a cursor, or `None` for an invalid cursor. A page starts after a name,
    /// so that it stays correct if tools were added or removed.
    pub(crate) fn page(&self, cursor: Option<&str>) -> Option<Page> {
        let tools = self.all();
        let first = match cursor {
            Some(cursor) => {
                let after = cursor.strip_prefix(CURSOR)?;
                tools.partition_point(|tool| tool.name.as_str() <= after)
            }
            None => 0,
        };
        let end = (first + PAGE).min(tools.len());
        let last = tools
            .get(end.saturating_sub(1))
            .filter(|_| end < tools.len());
        let next_cursor = last.map(|last| format!("{CURSOR}{}", last.name));
        Some(Page {
            tools,
            first,
            end,
            next_cursor,
        })
    }

    /// Returns the input schema of a tool.
    pub(crate) fn input_schema(&self, name: &str) -> Option<Arc<Map<String, Value>>> {
        let tools = self.all();
        let found = tools.binary_search_by(|tool| tool.name.as_str().cmp(name));
        let tool = tools.get(found.ok()?)?;
        Some(Arc::clone(&tool.input_schema))
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

    fn names(page: &Page) -> Vec<&str> {
        page.tools[page.first..page.end]
            .iter()
            .map(|tool| tool.name.as_str())
            .collect()
    }

    #[test]
    fn pages_stay_correct_if_tools_change() {
        let registry = Registry::new();
        (0..600).for_each(|number| register(&registry, &format!("tool{number:03}")));
        let tools = ServedTools::new(registry.clone());

        let first = tools.page(None).unwrap();
        assert!(registry.unregister("tool249").is_some());
        register(&registry, "tool100b");
        let second = tools.page(first.next_cursor.as_deref()).unwrap();
        let third = tools.page(second.next_cursor.as_deref()).unwrap();

        assert_eq!(
            (names(&first)[0], names(&first)[249]),
            ("tool000", "tool249")
        );
        assert_eq!(
            (names(&second)[0], names(&second)[249]),
            ("tool250", "tool499")
        );
        assert_eq!((names(&third).len(), third.next_cursor), (100, None));
    }

    #[test]
    fn rejects_invalid_cursor() {
        let tools = ServedTools::new(Registry::new());

        assert!(tools.page(Some("other")).is_none());
        assert_eq!(names(&tools.page(Some("after:x")).unwrap()), [""; 0]);
    }
}
