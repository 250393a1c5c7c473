//! Systems that have no sandbox.

use serde_json::Value;
use tool_core::ToolError;

use super::{Confinement, Sandbox, SandboxUnavailable};
use crate::shell::process::Run;
use crate::shell::program::Program;

/// What the calls of a confinement share: nothing.
#[derive(Debug, Default)]
pub(super) struct State;

/// Says that there is no sandbox.
pub(super) fn check(_sandbox: &Sandbox) -> Result<(), SandboxUnavailable> {
    Err(SandboxUnavailable::System)
}

/// Says that there is no sandbox.
pub(super) fn start(
    _confinement: &Confinement,
    _program: Program,
    _start: impl FnOnce(&Program) -> Result<Run, ToolError> + Send,
) -> Result<(Run, Value), ToolError> {
    Err(SandboxUnavailable::System.into_tool_error())
}
