//! The `bash` tool in its default sandbox and without one.

use serde_json::json;
use tool_core::{ToolContext, ToolError, TypedTool};
use tools_builtin::shell::{Bash, Environment, Sandbox};
use tools_builtin::{Kit, Workspace};

use crate::place::Place;

/// Opens the workspace of `place`.
pub(crate) fn workspace(place: &Place) -> Workspace {
    // The host itself writes the store of checkpoints, outside the workspace, as an attack would.
    let workspace = Workspace::builder().root(&place.workspace);
    workspace.without_checkpoints().build().unwrap()
}

/// Returns the tool that a kit creates, if its sandbox is enforced, perhaps with network access.
pub(crate) fn confined(place: &Place, network: bool) -> Option<Bash> {
    let mut kit = Kit::new(workspace(place));
    if network {
        kit = kit.with_sandbox(Sandbox::workspace().allow_network());
    }
    let bash = Bash::clone(&kit.shell.bash);
    let home = Environment::of_host().with("HOME", &place.home);
    bash.is_confined().then(|| bash.with_environment(home))
}

/// Runs a command for at most `seconds`, and returns its output or the error.
pub(crate) async fn run(bash: &Bash, command: &str, seconds: u64) -> Result<String, ToolError> {
    let input = json!({"command": command, "timeout_seconds": seconds});
    let input = serde_json::from_value(input).unwrap();
    let output = bash.run(&ToolContext::test(), input).await?;
    Ok(format!("{}{}", output.stdout, output.stderr))
}

/// Returns everything that a model would receive.
pub(crate) fn shown(outcome: &Result<String, ToolError>) -> String {
    match outcome {
        Ok(text) => text.clone(),
        Err(error) => format!("{} {:?}", error.to_model_text(), error.output()),
    }
}
