//! Groups of tools that are registered while their credentials exist.
//!
//! The tools have the names of the toolset [`assistant`](crate::toolsets::assistant()). A registry lists
//! them where the group was added, even if their credential appears later. The order of the source
//! document is: the toolset without `web_search`, `google`, `anthropic`, and `web_search`.

use std::sync::Arc;

use tool_core::registry::ToolGroup;
use tool_core::{Tool, Toolset};

use crate::ConnectorsError;
#[cfg(feature = "anthropic-admin")]
use crate::anthropic::AnthropicAdmin;
#[cfg(feature = "_google")]
use crate::google::Google;
use crate::toolsets::assistant;

/// Creates the group of Gmail and Google Calendar. `look` returns the current account, and an account
/// whose client has no ID or a blank secret counts as absent.
///
/// Neither the group nor its registration sends a request or starts a sign-in.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_core::registry::GroupState;
/// use tools_connectors::groups;
///
/// let registry = Registry::new();
/// assert_eq!(registry.group(groups::google(|| None))?.state, GroupState::Absent);
/// # Ok::<_, tool_core::registry::SourceError>(())
/// ```
#[cfg(feature = "_google")]
pub fn google(look: impl Fn() -> Option<Google> + Send + Sync + 'static) -> ToolGroup {
    ToolGroup::new(
        "google",
        move || look().filter(Google::is_configured),
        |google: &Google| tools(assistant::add_google(empty(), google)),
    )
}

/// Creates the group of Anthropic's usage reports. `look` returns the current client.
///
/// # Examples
/// ```
/// use tool_core::registry::GroupState;
/// use tool_core::{Registry, Secret};
/// use tools_connectors::anthropic::AnthropicAdmin;
/// use tools_connectors::groups;
///
/// let registry = Registry::new();
/// let key = Secret::new(String::new());
/// let group = groups::anthropic(move || AnthropicAdmin::new(&key).ok());
/// assert_eq!(registry.group(group)?.state, GroupState::Absent);
/// # Ok::<_, tool_core::registry::SourceError>(())
/// ```
#[cfg(feature = "anthropic-admin")]
pub fn anthropic(look: impl Fn() -> Option<AnthropicAdmin> + Send + Sync + 'static) -> ToolGroup {
    ToolGroup::new("anthropic", look, |admin: &AnthropicAdmin| {
        tools(assistant::anthropic::add(empty(), admin))
    })
}

fn empty() -> Toolset {
    Toolset::named("assistant")
}

fn tools(toolset: Result<Toolset, ConnectorsError>) -> Result<Vec<Arc<dyn Tool>>, ConnectorsError> {
    Ok(toolset?.tools().to_vec())
}

#[cfg(test)]
#[cfg(all(feature = "gmail", feature = "calendar"))]
mod tests {
    use std::sync::Mutex;

    use serde_json::json;
    use tool_core::registry::GroupState;
    use tool_core::{DynamicTool, Registry, Secret, ToolDefinition, ToolOutput};
    use tool_test::Scratch;

    use super::*;
    use crate::Connectors;
    use crate::google::{GoogleClient, TokenFolder};
    use crate::toolsets::assistant::ORDER;

    #[test]
    fn tools_follow_credentials() {
        let scratch = Scratch::new();
        let secret = Arc::new(Mutex::new(String::new()));
        let (configured, path) = (Arc::clone(&secret), scratch.path().to_owned());
        let registry = Registry::new();

        let group = google(move || {
            let secret = Secret::new(configured.lock().unwrap().clone());
            let client = GoogleClient::new("id-1").with_secret(secret);
            Some(Google::new(client, TokenFolder::new(&path)))
        });
        assert_eq!(registry.group(group).unwrap().state, GroupState::Absent);

        for (value, count) in [("secret-1", 6), (" ", 0), ("secret-2", 6)] {
            value.clone_into(&mut secret.lock().unwrap());
            registry.refresh();
            assert_eq!(registry.list().len(), count, "{value}");
        }
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
    }

    /// Returns the toolset `assistant` of another crate, reduced to two tools.
    fn base() -> Toolset {
        let tool = |name: &str| {
            let definition = ToolDefinition::new(name, "Test.", json!({"type": "object"}));
            DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("")) })
        };
        let base = Toolset::named("assistant").with_tool(tool("bash")).unwrap();
        base.with_tool(tool("web_search")).unwrap()
    }

    #[test]
    #[cfg(feature = "anthropic-admin")]
    fn tools_appear_and_vanish_in_order_of_document() {
        let scratch = Scratch::new();
        let (has_google, has_admin) = (Arc::new(Mutex::new(false)), Arc::new(Mutex::new(false)));
        let (path, google_exists) = (scratch.path().to_owned(), Arc::clone(&has_google));
        let admin_exists = Arc::clone(&has_admin);
        let whole = || crate::toolsets::assistant_with(&base(), &Connectors::new()).unwrap();
        let registry = Registry::builder()
            .toolset(&whole().without("web_search").unwrap())
            .unwrap()
            .group(google(move || {
                let client = GoogleClient::new("id-1");
                let exists = *google_exists.lock().unwrap();
                exists.then(|| Google::new(client, TokenFolder::new(&path)))
            }))
            .unwrap()
            .group(anthropic(move || {
                let key = Secret::new("sk-ant-admin01-1".to_owned());
                let exists = *admin_exists.lock().unwrap();
                exists.then(|| AnthropicAdmin::new(&key).unwrap())
            }))
            .unwrap()
            .toolset(&whole().only(["web_search"]).unwrap())
            .unwrap()
            .build();
        let names = || -> Vec<String> {
            let listed = registry.list();
            let named = listed.iter().map(|definition| definition.name().to_owned());
            named.collect()
        };
        let order = |is_shown: &dyn Fn(&str) -> bool| -> Vec<String> {
            let shown = ORDER.iter().filter(|name| is_shown(name));
            shown.map(|name| (*name).to_owned()).collect()
        };
        let is_always = |name: &str| {
            matches!(name, "bash" | "web_search")
                || (name.starts_with("linkedin") && cfg!(feature = "linkedin"))
        };
        assert_eq!(names(), order(&is_always));

        *has_admin.lock().unwrap() = true;
        registry.refresh();
        assert_eq!(
            names(),
            order(&|name| is_always(name) || name == "anthropic_usage")
        );
        *has_google.lock().unwrap() = true;
        registry.refresh();
        let is_file = |name: &str| name.ends_with("_file") || name == "web_fetch";
        assert_eq!(names(), order(&|name| !is_file(name)));
        *has_google.lock().unwrap() = false;
        *has_admin.lock().unwrap() = false;
        registry.refresh();

        assert_eq!(names(), order(&is_always));
    }
}
