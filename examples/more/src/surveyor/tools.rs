//! Tools of the surveyor, which reads in one directory and writes in another.

use std::error::Error;

use async_trait::async_trait;
use tool_core::middleware::{Call, Middleware, Next};
use tool_core::{OutputLimit, Registry, RegistryBuilder, Tool, ToolError, ToolOutput, Toolset};
use tools_builtin::{Kit, Workspace, toolsets};

/// Standard tools for reading the surveyed directory.
const READS: [&str; 4] = ["todo_manager", "list_files", "search_code", "read_file"];
/// Large enough for complete listings, so that counts are correct.
const OUTPUT_LIMIT: usize = 16 * 1024 * 1024;

/// Creates a registry that can only read in `surveyed` and write in `scratch`.
///
/// The model receives the tools' data as JSON instead of rendered text.
///
/// # Errors
/// Returns an error if the standard set lacks a tool.
pub fn tools(surveyed: Workspace, scratch: Workspace) -> Result<RegistryBuilder, Box<dyn Error>> {
    let reading = toolsets::standard(&Kit::new(surveyed))?;
    let writing = toolsets::standard(&Kit::new(scratch))?;
    let builder = Registry::builder()
        .output_limit(OutputLimit::bytes(OUTPUT_LIMIT))
        .middleware(DataAsText);
    let builder = READS
        .iter()
        .try_fold(builder, |builder, name| add(builder, &reading, name))?;
    add(builder, &writing, "write_file")
}

fn add(
    builder: RegistryBuilder,
    toolset: &Toolset,
    name: &str,
) -> Result<RegistryBuilder, Box<dyn Error>> {
    let tool = toolset
        .tools()
        .iter()
        .find(|tool| tool.definition().name() == name)
        .ok_or_else(|| format!("the standard set has no `{name}`"))?;
    Ok(builder.tool(tool.clone())?)
}

/// Replaces the content of an output with its data.
struct DataAsText;

#[async_trait]
impl Middleware for DataAsText {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        let mut output = next.run(call).await?;
        if let Some(data) = &output.data {
            output.content = ToolOutput::json(data.clone()).content;
        }
        Ok(output)
    }
}
