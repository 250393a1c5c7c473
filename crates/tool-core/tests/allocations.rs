//! How often a call allocates. One test, because everything in the process is counted.

#![cfg(feature = "validate")]

use std::alloc::System;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tool_core::{RegisterError, Registry, RiskLevel, ToolResult, tool_fn};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

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

/// The result of a call whose tool does not wait.
fn call(registry: &Registry, name: &str, text: &str) -> Option<ToolResult> {
    let call = pin!(registry.execute_text(name, text));
    match call.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

/// The result keeps two, the list of blocks and its text, and a third for parameters that are not short. The other one
/// is the tool's future; the room for the context and that for the arguments are those of the call before, also where that
/// one had wrong arguments.
#[test]
fn a_call_allocates_what_its_result_keeps_and_one_more() {
    let registry = registry().unwrap();
    let items = vec![r#"{"content": "Do the next step of the plan"}"#; 15].join(",");
    let plan = format!(r#"{{"items": [{items}]}}"#);
    // The struct's own: 15 texts, and the vector of them.
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
