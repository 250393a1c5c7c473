//! Number of allocations of a call.

#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use stats_alloc::Region;
use tool_core::{RegisterError, Registry, RiskLevel, ToolResult, tool_fn};

use crate::ALLOCATOR;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Plan {
    items: Vec<Item>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Item {
    content: String,
}

fn registry() -> Result<Registry, RegisterError> {
    let add = tool_fn("add", "Adds.", |_, input: Add| async move {
        Ok(input.a + input.b)
    });
    let plan = tool_fn("plan", "Plans.", |_, input: Plan| async move {
        Ok(input
            .items
            .iter()
            .map(|item| item.content.len())
            .sum::<usize>())
    });
    let registry = Registry::new();
    registry.register(add.risk(RiskLevel::ReadOnly))?;
    registry.register(plan.risk(RiskLevel::ReadOnly))?;
    Ok(registry)
}

/// Returns the result of a call whose tool does not wait.
fn call(registry: &Registry, name: &str, text: &str) -> Option<ToolResult> {
    let call = pin!(registry.execute(name, text));
    match call.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

/// The result keeps two allocations, the list of blocks and its text, and a third for long
/// parameters. The remaining one is the tool's future; the context and the arguments reuse the
/// allocations of the previous call, including a call with invalid arguments.
pub(crate) fn allocates_result_and_future() {
    let registry = registry().unwrap();
    let items = vec![r#"{"content": "Do the next step of the plan"}"#; 15].join(",");
    let plan = format!(r#"{{"items": [{items}]}}"#);
    // The struct's own allocations: 15 strings and their vector.
    for (name, text, kept, own) in [
        ("add", r#"{"a": 2, "b": 40}"#, 2, 0),
        ("plan", &plan, 3, 16),
    ] {
        let first = call(&registry, name, text).unwrap();
        assert!(first.success, "{first}");
        let refused = call(&registry, name, r#"{"c": 1}"#).unwrap();
        assert!(!refused.success, "{refused}");
        let region = Region::new(ALLOCATOR);

        let result = call(&registry, name, text);

        let change = region.change();
        assert_eq!(change.allocations, kept + 1 + own, "{name}: {change:?}");
        drop((first, refused, result));
    }
}
