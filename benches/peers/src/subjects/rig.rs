//! rig: a tool set whose schemas are derived from types, as by its attribute macro.

use std::convert::Infallible;
use std::hint::black_box;
use std::marker::PhantomData;

use benches::measure::{Case, at_once};
use rig_agent::tool::{Tool, ToolContext, ToolResult, ToolSet};
use serde_json::Value;

use crate::{Add, ReadFile, Todo, Workload};

/// Calls the set, which looks the tool up by its name.
pub(super) fn set<W: Workload>(text: &'static str, expected: &Value) -> Case<'static> {
    let mut tools = ToolSet::default();
    tools.add_tool(RigTool::<Add>(PhantomData));
    tools.add_tool(RigTool::<ReadFile>(PhantomData));
    tools.add_tool(RigTool::<Todo>(PhantomData));
    let mut context = ToolContext::new();
    let call = move || at_once(tools.execute(W::NAME, black_box(text), &mut context));
    Case::checked("rig", expected, call, |result| answer(&result))
}

fn answer(result: &ToolResult) -> Value {
    result.output().as_json().cloned().unwrap_or_default()
}

struct RigTool<W>(PhantomData<W>);

impl<W: Workload> Tool for RigTool<W> {
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

    async fn call(&self, _context: &mut ToolContext, arguments: W) -> Result<i64, Infallible> {
        Ok(arguments.answer())
    }
}
