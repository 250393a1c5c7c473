//! Tools of the source document: own tools with fewer parameters, some of them under other names.

use std::time::Duration;

use schemars::{Schema, SchemaGenerator, json_schema};
use tool_core::approval::Preview;
use tool_core::ledger::Verified;
use tool_core::typed::ToolInput;
use tool_core::{
    CallPlan, Hints, OutputLimit, RiskLevel, ToolContext, ToolError, Toolset, Typed, TypedTool,
};

use crate::ConnectorsError;

/// Parameters in the source document of an own tool.
pub(super) trait Documented: ToolInput + Clone + Sync + 'static {
    type Tool: TypedTool;

    /// Own name and documented name of parameters. The own name is accepted too.
    const RENAMED: &[(&str, &str)] = &[];
    /// Parameters that are not in the document. Calls may pass them, for example because an output
    /// names them.
    const HIDDEN: &[&str] = &[];

    /// Returns the input of the own tool.
    fn request(self) -> Request<Self>;
}

pub(super) type Request<I> = <<I as Documented>::Tool as TypedTool>::Input;

/// Adds a tool like in the source document: unknown parameters are ignored, and the output is not
/// truncated.
pub(super) fn add<I: Documented>(
    toolset: Toolset,
    name: &str,
    description: &str,
    tool: I::Tool,
) -> Result<Toolset, ConnectorsError> {
    let tool = Typed::new(name, description, DocumentedTool::<I>(tool)).define(|definition| {
        let definition = definition.with_output_limit(OutputLimit::unlimited());
        let renamed = I::RENAMED.iter();
        let definition = renamed.fold(definition, |definition, (own, shown)| {
            definition.with_alias(*own, *shown)
        });
        let hidden = I::HIDDEN.iter();
        hidden.fold(definition, |definition, parameter| {
            definition.with_hidden_parameter(parameter)
        })
    });
    Ok(toolset.with_tool(tool)?)
}

/// Own tool with the parameters `I`.
struct DocumentedTool<I: Documented>(I::Tool);

impl<I: Documented> TypedTool for DocumentedTool<I> {
    type Input = I;
    type Output = <I::Tool as TypedTool>::Output;

    const RISK: RiskLevel = I::Tool::RISK;

    fn hints(&self) -> Hints {
        self.0.hints()
    }

    fn timeout(&self) -> Option<Duration> {
        self.0.timeout()
    }

    fn plan(&self, cx: &ToolContext, input: &I) -> Result<CallPlan, ToolError> {
        let plan = self.0.plan(cx, &input.clone().request());
        plan.map_err(renamed::<I>)
    }

    async fn inspect(&self, cx: &ToolContext, input: &I) -> Result<Option<Preview>, ToolError> {
        let preview = self.0.inspect(cx, &input.clone().request()).await;
        preview.map_err(renamed::<I>)
    }

    async fn verify(&self, cx: &ToolContext, input: I) -> Verified {
        self.0.verify(cx, input.request()).await
    }

    async fn run(&self, cx: &ToolContext, input: I) -> Result<Self::Output, ToolError> {
        let output = self.0.run(cx, input.request()).await;
        output.map_err(renamed::<I>)
    }

    fn render(output: &Self::Output) -> String {
        I::Tool::render(output)
    }
}

/// Names the parameter of an error like the document. Suggestions and warnings of the tools name no
/// renamed parameter.
fn renamed<I: Documented>(error: ToolError) -> ToolError {
    let mut names = I::RENAMED.iter();
    match names.find(|(own, _)| error.parameter() == Some(*own)) {
        Some((_, shown)) => error.with_parameter(Some(*shown)),
        None => error,
    }
}

/// Returns the schema of an integer whose range the tool checks itself.
pub(super) fn integer(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "integer"})
}
