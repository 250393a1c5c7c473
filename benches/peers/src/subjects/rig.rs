//! rig: a tool set whose schemas are derived from types, as by its attribute macro.

use std::convert::Infallible;
use std::hint::black_box;
use std::marker::PhantomData;

use benches::measure::{Case, at_once};
use rig_agent::tool::{RegisteredTool, ToolContext, ToolResult, ToolSet};
use rig_core::tool::PortableTool;
use serde_json::Value;

use crate::{Add, ReadFile, Todo, Workload};

/// Calls the set, which copies the registration first.
pub(super) fn set<W: Workload>(text: &'static str, expected: &Value) -> Case<'static> {
    let tools = tool_set();
    let mut context = ToolContext::new();
    let call = move || at_once(tools.execute(W::NAME, black_box(text), &mut context));
    Case::checked("rig", expected, call, |result| answer(&result))
}

/// Calls the registration directly.
pub(super) fn inner<W: Workload>(text: &'static str, expected: &Value) -> Case<'static> {
    let tools = tool_set();
    let mut context = ToolContext::new();
    let call = move || {
        let tool: &RegisteredTool = tools.get(W::NAME).expect("the tool is in the set");
        at_once(tool.execute(black_box(text).to_owned(), &mut context))
    };
    Case::checked("rig_inner", expected, call, |result| answer(&result))
}

fn tool_set() -> ToolSet {
    let mut tools = ToolSet::default();
    tools.add_tool(RigTool::<Add>(PhantomData));
    tools.add_tool(RigTool::<ReadFile>(PhantomData));
    tools.add_tool(RigTool::<Todo>(PhantomData));
    tools
}

fn answer(result: &ToolResult) -> Value {
    result.output().as_json().cloned().unwrap_or_default()
}

struct RigTool<W>(PhantomData<W>);

impl<W: Workload> PortableTool for RigTool<W> {
    const NAME: &'static str = W::NAME;
    type Args = W;
    type Output = i64;
    type Error = Infallible;

    fn description(&self) -> String {
        W::DESCRIPTION.to_owned()
    }

    fn parameters(&self) -> Value {
        schemars::schema_for!(W).to_value()
    }

    async fn call(&self, arguments: W) -> Result<i64, Infallible> {
        Ok(arguments.answer())
    }
}
