//! Toolset of a personal assistant: its tools for jobs, mail, the calendar and usage reports.

#[cfg(feature = "anthropic-admin")]
pub(crate) mod anthropic;
#[cfg(feature = "calendar")]
pub(crate) mod calendar;
#[cfg(feature = "gmail")]
pub(crate) mod gmail;
#[cfg(feature = "linkedin")]
pub(crate) mod linkedin;

use std::sync::Arc;

use tool_core::{Tool, Toolset};

#[cfg(feature = "_google")]
use crate::google::Google;
use crate::{Connectors, ConnectorsError};

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
    #[cfg(feature = "_google")]
    let toolset = match &connectors.google {
        Some(google) => add_google(toolset, google)?,
        None => toolset,
    };
    #[cfg(feature = "anthropic-admin")]
    let toolset = match &connectors.anthropic {
        Some(admin) => anthropic::add(toolset, admin)?,
        None => toolset,
    };
    Ok(toolset)
}

/// Returns the tools of `base`, which is the toolset `assistant` of `tools-builtin`, and of the
/// configured services in the order of the source document.
///
/// Tools with other names, such as tools of MCP servers, are last and keep their order. For credentials
/// that appear later, register the tools as a [`ToolSource`](tool_core::registry::ToolSource).
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
        ORDER
            .iter()
            .position(|known| *known == name)
            .unwrap_or(ORDER.len())
    };
    tools.sort_by_key(place);
    let mut toolset = Toolset::named("assistant");
    for tool in tools {
        toolset = toolset.with_tool(tool)?;
    }
    Ok(toolset)
}

/// Adds the tools of Gmail and Google Calendar.
#[cfg(feature = "_google")]
pub(crate) fn add_google(toolset: Toolset, google: &Google) -> Result<Toolset, ConnectorsError> {
    #[cfg(feature = "gmail")]
    let toolset = gmail::add(toolset, google)?;
    #[cfg(feature = "calendar")]
    let toolset = calendar::add(toolset, google)?;
    Ok(toolset)
}
