//! Services whose credentials are in the environment.

use tool_core::{Secret, Toolset};
use tools_connectors::anthropic::AnthropicAdmin;
use tools_connectors::google::{Google, GoogleClient, TokenFolder};
use tools_connectors::{Connectors, toolsets};

use crate::failure::Failure;

/// Adds the tools of the services whose credentials are set: `GOOGLE_CLIENT_ID` with
/// `GOOGLE_CLIENT_SECRET`, and `ANTHROPIC_ADMIN_API_KEY`.
pub(crate) fn add_to(assistant: &Toolset) -> Result<Toolset, Failure> {
    toolsets::assistant_with(assistant, &configured()?)
        .map_err(|error| Failure::input("the connectors cannot be used", error))
}

fn configured() -> Result<Connectors, Failure> {
    let mut connectors = Connectors::new();
    if let (Some(id), Some(secret)) = (
        variable("GOOGLE_CLIENT_ID"),
        variable("GOOGLE_CLIENT_SECRET"),
    ) {
        let client = GoogleClient::new(id).with_secret(Secret::new(secret));
        let tokens = TokenFolder::in_state_folder("toolbox")
            .map_err(|error| Failure::input("the tokens cannot be stored", error))?;
        connectors = connectors.with_google(Google::new(client, tokens));
    }
    if let Some(key) = variable("ANTHROPIC_ADMIN_API_KEY") {
        let admin = AnthropicAdmin::new(&Secret::new(key))
            .map_err(|error| Failure::input("`ANTHROPIC_ADMIN_API_KEY` cannot be used", error))?;
        connectors = connectors.with_anthropic(admin);
    }
    Ok(connectors)
}

/// Returns a variable of the environment that is not blank.
fn variable(name: &str) -> Option<String> {
    let value = std::env::var(name).ok()?;
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}
