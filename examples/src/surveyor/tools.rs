//! The surveyor's tools: it reads in one folder and writes in another.

use std::error::Error;

use async_trait::async_trait;
use tool_core::middleware::{Call, Middleware, Next};
use tool_core::{Contract, OutputLimit, Registry, RegistryBuilder, Tool, ToolError, ToolOutput};
use tools_builtin::{Kit, Workspace, contracts};

/// What the surveyor uses of the standard set in the folder that it surveys.
const READS: [&str; 4] = ["todo_manager", "list_files", "search_code", "read_file"];
/// The whole of a long listing, so that nothing is counted wrong.
const OUTPUT_LIMIT: usize = 16 * 1024 * 1024;

/// A registry that reads in `surveyed` and writes in `scratch`, and nowhere else.
///
/// The model reads the data of the tools as JSON, and not their text for people.
///
/// # Errors
/// A tool that is not in the standard set.
pub fn tools(surveyed: Workspace, scratch: Workspace) -> Result<RegistryBuilder, Box<dyn Error>> {
    let reading = contracts::standard(&Kit::new(surveyed))?;
    let writing = contracts::standard(&Kit::new(scratch))?;
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
    contract: &Contract,
    name: &str,
) -> Result<RegistryBuilder, Box<dyn Error>> {
    let tool = contract
        .tools()
        .iter()
        .find(|tool| tool.definition().name() == name)
        .ok_or_else(|| format!("the standard set has no `{name}`"))?;
    Ok(builder.tool(tool.clone())?)
}

/// Shows the model the data of an output.
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
