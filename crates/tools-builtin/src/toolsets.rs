//! Toolsets: names, schemas and limits of the tools, one file per toolset.

#[cfg(feature = "document-sets")]
mod assistant;
#[cfg(feature = "document-sets")]
mod cli_agent;
#[cfg(feature = "document-sets")]
mod document;
#[cfg(feature = "document-sets")]
mod dracode;
mod names;
#[cfg(feature = "document-sets")]
mod repo_explorer;
#[cfg(feature = "document-sets")]
mod ryan;
#[cfg(feature = "document-sets")]
mod set;
mod standard;
#[cfg(test)]
#[cfg(feature = "document-sets")]
mod testing;
#[cfg(test)]
#[cfg(feature = "document-sets")]
mod tests;
mod wording;

#[cfg(feature = "document-sets")]
pub use self::{
    assistant::assistant,
    cli_agent::{CliAgentResult, CliAgentText, cli_agent},
    dracode::dracode,
    repo_explorer::{RepoExplorerResult, repo_explorer},
    ryan::{RegisterBuiltinTools, RegisterBuiltinToolsError, RyanResult, ToolRequest, ryan},
    set::{ToolsetName, UnknownToolset},
};
pub use standard::{ToolGroup, UnknownToolGroup, coding_gpt, standard};
