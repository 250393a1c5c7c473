//! Groups of tools that are registered while their credentials exist.
//!
//! The tools have the names of the toolset [`assistant`](crate::toolsets::assistant()). A registry lists
//! tools whose credentials appear later after its other tools.

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

    use tool_core::registry::GroupState;
    use tool_core::{Registry, Secret};
    use tool_test::Scratch;

    use super::*;
    use crate::Connectors;
    use crate::google::{GoogleClient, TokenFolder};

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

    #[test]
    #[cfg(feature = "anthropic-admin")]
    fn tools_appear_and_vanish_without_restart() {
        let scratch = Scratch::new();
        let (has_google, has_admin) = (Arc::new(Mutex::new(false)), Arc::new(Mutex::new(false)));
        let (path, google_exists) = (scratch.path().to_owned(), Arc::clone(&has_google));
        let admin_exists = Arc::clone(&has_admin);
        let connectors = Connectors::new();
        let registry = Registry::builder()
            .toolset(&crate::toolsets::assistant(&connectors).unwrap())
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
            .build();
        let names = || -> Vec<String> {
            let listed = registry.list();
            let named = listed.iter().map(|definition| definition.name().to_owned());
            named.collect()
        };
        let always = names();

        *has_admin.lock().unwrap() = true;
        registry.refresh();
        assert_eq!(names().len(), always.len() + 1);
        *has_google.lock().unwrap() = true;
        registry.refresh();
        let all = names();
        assert_eq!(all.len(), always.len() + 7);
        assert!(all.starts_with(&always));
        *has_google.lock().unwrap() = false;
        *has_admin.lock().unwrap() = false;
        registry.refresh();

        assert_eq!(names(), always);
    }
}
