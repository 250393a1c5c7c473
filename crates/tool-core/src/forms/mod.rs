//! Results in the shapes that other tool systems know, for programs and people that read those.
//!
//! Each form is a view: it borrows a [`ToolResult`](crate::ToolResult) and is written as it is serialised or printed.
//!
//! | view | written as |
//! |---|---|
//! | [`RepoExplorerResult`] | `{name, input, output?, error?}` |
//! | [`RyanResult`], asked for by a [`ToolRequest`] | `{success, content, data?, error?, metadata}` |
//! | [`CliAgentResult`] | `{tool?, success, output, files_affected, execution_time_ms, metadata?, error?}` |
//! | [`CliAgentText`] | text for people: a mark, the output, the places written, the time |

mod cli_agent;
mod cli_agent_text;
mod repo_explorer;
mod ryan;
#[cfg(test)]
mod tests;
mod text;
mod tool_request;

pub use cli_agent::CliAgentResult;
pub use cli_agent_text::CliAgentText;
pub use repo_explorer::RepoExplorerResult;
pub use ryan::RyanResult;
pub use tool_request::ToolRequest;
