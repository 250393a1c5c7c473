//! Toolwright lets a language model call your Rust code safely. Define a tool once; every call is validated, approved,
//! limited and recorded, whichever provider sent it.
//!
//! ```
//! use toolwright::prelude::*;
//!
//! #[data]
//! struct Add {
//!     /// First summand.
//!     a: i64,
//!     /// Second summand.
//!     b: i64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let add = tool_fn("add", "Adds two numbers.", |_, add: Add| async move { Ok(add.a + add.b) });
//! let tools = Registry::of(add)?;
//!
//! // The text is what a model sent. "40" is a string, so the call is repaired, and the result says so.
//! let result = tools.execute("add", r#"{"a": 2, "b": "40"}"#).await;
//! assert_eq!(result.to_string(), "42");
//! # Ok(()) }
//! ```
//!
//! # Where things are
//!
//! Types that nearly every program uses are at the root: [`Registry`], [`Tool`], [`TypedTool`], [`tool_fn`],
//! [`ToolError`], [`ToolResult`], and the modules [`approval`], [`middleware`] and [`audit`]. [`prelude`] imports the
//! usual ones. The other parts are modules, most of them behind a feature:
//!
//! | module | feature | what it is for |
//! |---|---|---|
//! | [`providers`] | always | definitions, calls and results in the format of each provider |
//! | `agent` | `agent` (default) | a loop with budgets over any model |
//! | | `http` | models over the network, with TLS by aws-lc |
//! | | `http-no-provider` | the same with the cryptography that you install in rustls |
//! | `builtin` | `builtin` | tools for files, search, commands and plans |
//! | | `web`, `office`, `pdf`, `document-sets` | web pages and web search; office documents; PDF documents; the tool sets of five published agents |
//! | `mcp` | `mcp`, `mcp-server` | tools of MCP servers; a registry as an MCP server |
//! | `connectors` | `connectors` | mail, calendar, jobs, usage reports and repositories |
//! | `ledger_stores` | `ledger`, `postgres` | calls that survive a crash, in SQLite or PostgreSQL |
//! | `remote` | `remote` | tools that run in workers on other machines |
//! | `test` | `test` | laws that every tool must obey; for your own tests |
//! | | `assistant` | a personal assistant from one configuration, with all of the above that it needs |
//!
//! Each part is also a separate crate (`tool-core`, `agent-loop`, …), for libraries that need only one.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "assistant")]
mod assistant;
#[cfg(all(feature = "agent", not(feature = "http-no-provider")))]
mod without_http;

#[cfg(feature = "assistant")]
#[doc(inline)]
pub use assistant::{Assistant, AssistantConfig, AssistantError, BaseUrls, assistant};
pub use tool_core::*;
#[cfg(feature = "macros")]
#[doc(inline)]
pub use tool_macros::{data, tool, tools};

#[doc(no_inline)]
pub use async_trait::async_trait;
#[doc(no_inline)]
pub use {schemars, serde, serde_json};

#[doc(inline)]
pub use provider_adapters as providers;

#[cfg(feature = "agent")]
#[doc(inline)]
pub use agent_loop as agent;
#[cfg(feature = "ledger")]
#[doc(inline)]
pub use tool_ledger as ledger_stores;
#[cfg(any(feature = "mcp", feature = "mcp-server"))]
#[doc(inline)]
pub use tool_mcp as mcp;
#[cfg(feature = "remote")]
#[doc(inline)]
pub use tool_remote as remote;
#[cfg(feature = "test")]
#[doc(inline)]
pub use tool_test as test;
#[cfg(feature = "builtin")]
#[doc(inline)]
pub use tools_builtin as builtin;
#[cfg(feature = "connectors")]
#[doc(inline)]
pub use tools_connectors as connectors;

/// What most programs import: `use toolwright::prelude::*;`.
///
/// # Examples
/// ```
/// use toolwright::prelude::*;
///
/// let tools = Registry::builder().policy(Policy::default()).build();
/// assert!(tools.definitions(&Provider::OpenAi).tools.as_array().is_some_and(Vec::is_empty));
/// ```
pub mod prelude {
    #[cfg(feature = "http-no-provider")]
    pub use crate::agent::HttpModel;
    #[cfg(feature = "agent")]
    pub use crate::agent::{AgentLoop, Model, ModelReply};
    pub use crate::approval::{Answer, Approver, Policy, approver_fn};
    pub use crate::providers::Provider;
    #[cfg(all(feature = "agent", not(feature = "http-no-provider")))]
    #[doc(hidden)]
    pub use crate::without_http::HttpModel;
    pub use crate::{
        CallOptions, CallPlan, OrFail, Registry, RiskLevel, Tool, ToolCall, ToolContext,
        ToolDefinition, ToolError, ToolOutput, ToolResult, Toolset, Typed, TypedTool, async_trait,
        schemars, serde, serde_json, tool_fn,
    };
    #[cfg(feature = "macros")]
    pub use crate::{data, tool, tools};
}
