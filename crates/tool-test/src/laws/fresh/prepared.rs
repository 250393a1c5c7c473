//! Comparison of the files before and after a preparation.

use serde_json::Value;
use tool_core::CallArguments;

use super::super::Broken;
use super::instance::ToolInstance;

pub(super) async fn check(
    make: &impl Fn() -> Option<ToolInstance>,
    call: &Value,
) -> Option<Broken> {
    let instance = make()?;
    let before = instance.files().await;
    // An explanation prepares the call and runs nothing.
    let arguments = CallArguments::from(call.clone());
    drop(instance.registry.explain(&instance.name, &arguments));
    let is_same = before == instance.files().await;
    (!is_same).then(|| Broken::new("preparing a call changes nothing", call.to_string()))
}
