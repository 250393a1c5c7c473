//! Helpers for the tests of the toolsets.

use std::path::Path;

use serde_json::Value;
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{Registry, ToolDefinition, ToolResult};
use tool_test::Scratch;

use super::ToolsetName;
use crate::{Kit, Workspace};

/// Returns a registry with one toolset in a directory, in which all calls are approved.
pub(super) fn registry(set: ToolsetName, scratch: &Scratch) -> Registry {
    registry_in(set, scratch.path())
}

/// Like [`registry`], but with `directory` as the workspace.
pub(super) fn registry_in(set: ToolsetName, directory: impl AsRef<Path>) -> Registry {
    registry_of(set, &Kit::new(Workspace::open(directory).unwrap()))
}

/// Like [`registry`], over this kit.
pub(super) fn registry_of(set: ToolsetName, kit: &Kit) -> Registry {
    Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .toolset(&set.toolset(kit).unwrap())
        .unwrap()
        .build()
}

pub(super) async fn call(
    set: ToolsetName,
    scratch: &Scratch,
    tool: &str,
    arguments: Value,
) -> ToolResult {
    registry(set, scratch).execute(tool, arguments).await
}

/// Asserts that the schemas equal the printed ones as JSON, in the same order and without further
/// tools.
#[track_caller]
pub(super) fn assert_schemas(set: ToolsetName, printed: &[(&str, &str)]) {
    let listed = registry(set, &Scratch::new()).list();
    let names: Vec<&str> = listed.iter().map(ToolDefinition::name).collect();
    let expected: Vec<&str> = printed.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, expected);
    for (name, schema) in printed {
        let tool = listed.iter().find(|tool| tool.name() == *name).unwrap();
        let schema: Value = serde_json::from_str(schema).unwrap();
        assert_eq!(tool.input_schema(), &schema, "{name}");
    }
}
