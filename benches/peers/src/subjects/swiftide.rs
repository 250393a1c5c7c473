//! swiftide: a list of tools that the caller searches.

use std::borrow::Cow;
use std::hint::black_box;
use std::marker::PhantomData;

use async_trait::async_trait;
use benches::measure::{Case, at_once};
use serde_json::Value;
use swiftide_core::AgentContext;
use swiftide_core::chat_completion::errors::ToolError;
use swiftide_core::chat_completion::{Tool, ToolCall, ToolOutput, ToolSpec};

use crate::{Add, ReadFile, Todo, Workload};

/// Searches the list for the name, parses the arguments and runs the body.
pub(super) fn scan<W: Workload>(text: &str, expected: &Value) -> Case<'static> {
    let tools: Vec<Box<dyn Tool>> = vec![
        SwiftideTool::<Add>::boxed(),
        SwiftideTool::<ReadFile>::boxed(),
        SwiftideTool::<Todo>::boxed(),
    ];
    let call = ToolCall::builder()
        .id("call_1")
        .name(W::NAME)
        .args(text)
        .build()
        .expect("id and name are set");
    let call = move || {
        let call = black_box(&call);
        let tool = tools.iter().find(|tool| tool.name() == call.name());
        at_once(tool.expect("the tool is in the list").invoke(&(), call))
    };
    Case::checked("swiftide", expected, call, answer)
}

fn answer(output: Result<ToolOutput, ToolError>) -> Value {
    let text = output
        .ok()
        .and_then(|output| output.as_text().map(str::to_owned));
    text.and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

struct SwiftideTool<W>(PhantomData<W>);

impl<W: Workload> SwiftideTool<W> {
    fn boxed() -> Box<dyn Tool> {
        Box::new(Self(PhantomData))
    }
}

impl<W> Clone for SwiftideTool<W> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

#[async_trait]
impl<W: Workload> Tool for SwiftideTool<W> {
    async fn invoke(
        &self,
        _context: &dyn AgentContext,
        call: &ToolCall,
    ) -> Result<ToolOutput, ToolError> {
        let Some(arguments) = call.args() else {
            return Err(ToolError::missing_arguments(W::NAME));
        };
        let input: W = serde_json::from_str(arguments)?;
        Ok(ToolOutput::text(input.answer().to_string()))
    }

    fn name(&self) -> Cow<'_, str> {
        W::NAME.into()
    }

    fn tool_spec(&self) -> ToolSpec {
        ToolSpec::builder()
            .name(W::NAME)
            .description(W::DESCRIPTION)
            .parameters_schema(schemars::schema_for!(W))
            .build()
            .expect("name and description are set")
    }
}
