//! Allocations of reading a registry.

#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use std::borrow::Cow;
use std::hint::black_box;

use serde_json::json;
use stats_alloc::Region;
use tool_core::{
    Dialect, DynamicTool, ProviderTools, RegisterError, Registry, ToolDefinition, ToolOutput,
};

use crate::ALLOCATOR;

struct Names;

impl Dialect for Names {
    fn id(&self) -> Cow<'static, str> {
        "names".into()
    }

    fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools {
        ProviderTools::new(json!(
            definitions
                .iter()
                .map(ToolDefinition::name)
                .collect::<Vec<_>>()
        ))
    }
}

fn tool(number: usize) -> DynamicTool {
    let definition = ToolDefinition::new(format!("tool_{number:04}"), "One of many.", json!({}));
    DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("x")) })
}

fn registry(tools: usize) -> Result<Registry, RegisterError> {
    let registry = Registry::new();
    registry.register_all((0..tools).map(tool))?;
    Ok(registry)
}

pub(crate) fn reads_do_not_allocate() {
    let registry = registry(100).unwrap();
    let narrowed = registry.only(["tool_0001"]).unwrap();
    black_box((registry.definitions(&Names), narrowed.definitions(&Names)));

    let region = Region::new(ALLOCATOR);
    black_box((registry.definitions(&Names), narrowed.definitions(&Names)));
    black_box((registry.snapshot(), narrowed.snapshot()));
    black_box(registry.is_enabled("tool_0001"));
    let reading = region.change();

    assert_eq!(reading.allocations, 0, "{reading:?}");
}
