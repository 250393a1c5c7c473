//! What the tests of the contract sets begin with.

use std::path::Path;

use serde_json::Value;
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{Registry, ToolDefinition, ToolResult};
use tool_test::Scratch;

use super::ContractSet;
use crate::{Kit, Workspace};

/// A registry with one set in a folder, where every question is answered with yes.
pub(super) fn registry(set: ContractSet, scratch: &Scratch) -> Registry {
    registry_in(set, scratch.path())
}

/// The same, where the workspace is a part of the folder.
pub(super) fn registry_in(set: ContractSet, folder: impl AsRef<Path>) -> Registry {
    let kit = Kit::new(Workspace::open(folder).unwrap());
    Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .contract(&set.contract(&kit).unwrap())
        .unwrap()
        .build()
}

pub(super) async fn call(
    set: ContractSet,
    scratch: &Scratch,
    tool: &str,
    arguments: Value,
) -> ToolResult {
    registry(set, scratch).execute(tool, arguments).await
}

/// Each schema must be equal as JSON to the one that is printed, in this order, and no other tool may be there.
#[track_caller]
pub(super) fn assert_schemas(set: ContractSet, printed: &[(&str, &str)]) {
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
