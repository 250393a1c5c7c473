//! Tools of the surveyor, which reads in one directory and writes in another.

use std::error::Error;

use async_trait::async_trait;
use tool_core::middleware::{Call, Middleware, Next};
use tool_core::{OutputLimit, Registry, RegistryBuilder, ToolError, ToolOutput, Typed};
use tools_builtin::files::ListFiles;
use tools_builtin::search::SearchCode;
use tools_builtin::toolsets::{self, ToolGroup};
use tools_builtin::{Kit, Workspace};

/// Large enough for complete listings, so that counts are correct.
const OUTPUT_LIMIT: usize = 16 * 1024 * 1024;

/// Creates a registry that can only read in `surveyed` and write in `scratch`.
///
/// The model receives the tools' data as JSON instead of rendered text.
///
/// # Errors
/// Returns an error if the standard set lacks a tool.
pub fn tools(surveyed: Workspace, scratch: Workspace) -> Result<RegistryBuilder, Box<dyn Error>> {
    // Two tools under their own names, because the standard ones list no sizes and fewer matches.
    let list = ListFiles::new(surveyed.clone());
    let search = SearchCode::new(surveyed.clone());
    let reading = Kit::new(surveyed);
    let read = toolsets::standard(&reading)?.only(["read"])?;
    let write = toolsets::standard(&Kit::new(scratch))?.only(["write"])?;
    Ok(Registry::builder()
        .output_limit(OutputLimit::bytes(OUTPUT_LIMIT))
        .middleware(DataAsText)
        .tool(Typed::new(
            "list_files",
            "Lists files with their sizes.",
            list,
        ))?
        .tool(Typed::new("search_code", "Searches lines.", search))?
        .toolset(&ToolGroup::Plan.add_to(read, &reading)?)?
        .toolset(&write)?)
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
