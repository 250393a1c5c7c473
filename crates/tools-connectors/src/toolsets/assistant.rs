//! Toolset of a personal assistant: its tools for jobs, mail, the calendar and usage reports.
//!
//! Names and descriptions are those of the source document.

#[cfg(feature = "google")]
mod google;
#[cfg(feature = "linkedin")]
mod linkedin;

use std::sync::Arc;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use tool_core::approval::Preview;
use tool_core::ledger::Verified;
use tool_core::{
    CallPlan, Hints, OutputLimit, RiskLevel, Tool, ToolContext, ToolError, ToolInput, Toolset,
    Typed, TypedTool,
};

use crate::anthropic::{AnthropicAdmin, AnthropicUsage, UsageAction, UsageInput};
use crate::{Connectors, ConnectorsError};

#[cfg(feature = "google")]
pub(crate) use self::google::add as add_google;

/// Order of the tools in the source document.
pub(crate) const ORDER: [&str; 15] = [
    "bash",
    "read_file",
    "write_file",
    "append_file",
    "linkedin_jobs",
    "linkedin_job_detail",
    "web_fetch",
    "gmail_search",
    "gmail_read",
    "gmail_send",
    "calendar_list_events",
    "calendar_create_event",
    "calendar_get_event",
    "anthropic_usage",
    "web_search",
];

/// Returns the tools of the configured services under the names of the `assistant` toolset.
///
/// Building the toolset sends nothing. [`assistant_with`] combines it with the toolset of the same
/// name in `tools-builtin`.
///
/// # Errors
/// Returns [`ConnectorsError`] if the settings of a service are invalid.
///
/// # Examples
/// ```
/// use tools_connectors::{Connectors, toolsets};
///
/// let toolset = toolsets::assistant(&Connectors::new())?;
/// assert_eq!(toolset.name(), "assistant");
/// # Ok::<_, tools_connectors::ConnectorsError>(())
/// ```
pub fn assistant(connectors: &Connectors) -> Result<Toolset, ConnectorsError> {
    let toolset = Toolset::named("assistant");
    #[cfg(feature = "linkedin")]
    let toolset = linkedin::add(toolset, &connectors.linkedin)?;
    #[cfg(feature = "google")]
    let toolset = match &connectors.google {
        Some(google) => add_google(toolset, google)?,
        None => toolset,
    };
    match &connectors.anthropic {
        Some(admin) => add_anthropic(toolset, admin),
        None => Ok(toolset),
    }
}

/// Returns the tools of `base`, which is the toolset `assistant` of `tools-builtin`, and of the
/// configured services in the order of the source document.
///
/// Tools with other names, such as tools of MCP servers, are last and keep their order. For credentials
/// that appear later, register the tools as a [`ToolSource`](tool_core::ToolSource).
///
/// # Errors
/// Returns [`ConnectorsError`] if the settings of a service are invalid, or if two tools have one
/// name.
///
/// # Examples
/// ```
/// use tool_core::Toolset;
/// use tools_connectors::{Connectors, toolsets};
///
/// let toolset = toolsets::assistant_with(&Toolset::named("assistant"), &Connectors::new())?;
/// assert_eq!(toolset.name(), "assistant");
/// # Ok::<_, tools_connectors::ConnectorsError>(())
/// ```
pub fn assistant_with(base: &Toolset, connectors: &Connectors) -> Result<Toolset, ConnectorsError> {
    let own = assistant(connectors)?;
    let mut tools: Vec<Arc<dyn Tool>> = base.tools().iter().chain(own.tools()).cloned().collect();
    let place = |tool: &Arc<dyn Tool>| {
        let name = tool.definition().name();
        let place = ORDER.iter().position(|known| *known == name);
        place.unwrap_or(ORDER.len())
    };
    tools.sort_by_key(place);
    let mut toolset = Toolset::named("assistant");
    for tool in tools {
        toolset = toolset.with_tool(tool)?;
    }
    Ok(toolset)
}

/// Adds the tool of Anthropic's usage reports.
pub(crate) fn add_anthropic(
    toolset: Toolset,
    admin: &AnthropicAdmin,
) -> Result<Toolset, ConnectorsError> {
    add::<Usage>(
        toolset,
        "anthropic_usage",
        "Query the Anthropic Admin API for organization usage and cost reports.",
        AnthropicUsage::new(admin.clone()),
    )
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Usage {
    /// Report: tokens, spending, or metrics of Claude Code
    #[schemars(schema_with = "actions")]
    action: UsageAction,
    /// Start in UTC, such as 2026-11-02 or 2026-11-02T00:00:00Z
    starting_at: String,
    /// End in UTC, exclusive
    ending_at: Option<String>,
    /// 1m, 1h or 1d for usage, 1d for cost
    bucket_width: Option<String>,
    /// Groups, such as model or workspace_id
    group_by: Option<Vec<String>>,
    /// Maximum number of buckets or records of one page
    #[serde(default)]
    #[schemars(schema_with = "integer")]
    limit: Option<u32>,
    /// Token of the next page, from an earlier call.
    page: Option<String>,
}

/// Returns the schema of a report, without the meanings of the values.
fn actions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": ["usage", "cost", "claude_code"]})
}

impl Documented for Usage {
    type Tool = AnthropicUsage;

    const HIDDEN: &[&str] = &["page"];

    fn request(self) -> UsageInput {
        UsageInput {
            action: self.action,
            starting_at: self.starting_at,
            ending_at: self.ending_at,
            bucket_width: self.bucket_width,
            group_by: self.group_by.unwrap_or_default(),
            limit: self.limit,
            page: self.page,
            models: Vec::new(),
            workspace_ids: Vec::new(),
            api_key_ids: Vec::new(),
        }
    }
}

/// Parameters in the source document of an own tool.
trait Documented: ToolInput + Clone + Sync + 'static {
    type Tool: TypedTool;

    /// Own name and documented name of parameters. The own name is accepted too.
    const RENAMED: &[(&str, &str)] = &[];
    /// Parameters that are not in the document, but named by outputs and errors, so calls may pass them.
    const HIDDEN: &[&str] = &[];

    /// Returns the input of the own tool.
    fn request(self) -> Request<Self>;
}

type Request<I> = <<I as Documented>::Tool as TypedTool>::Input;

/// Adds a tool like in the source document: unknown parameters are ignored, and the output is not
/// truncated.
fn add<I: Documented>(
    toolset: Toolset,
    name: &str,
    description: &str,
    tool: I::Tool,
) -> Result<Toolset, ConnectorsError> {
    let tool = Typed::new(name, description, DocumentedTool::<I>(tool)).define(|definition| {
        // The document knows no limit, and a mail is read as a whole.
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
fn integer(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "integer"})
}
