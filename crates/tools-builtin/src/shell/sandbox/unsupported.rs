//! Stub for systems without a sandbox.

use serde_json::Value;
use tool_core::ToolError;

use super::{ConfinedCall, Sandbox, SandboxUnavailable};
use crate::shell::process::Run;
use crate::shell::program::Program;
use crate::workspace::Workspace;

/// Empty shared state.
#[derive(Debug, Default)]
pub(super) struct State {}

impl State {
    #[expect(clippy::unused_self, reason = "used on Linux")]
    pub(super) fn has_loopback(&self) -> bool {
        false
    }
}

pub(super) fn check(_sandbox: &Sandbox) -> Result<(), SandboxUnavailable> {
    Err(SandboxUnavailable::System)
}

pub(super) fn check_workspace(_workspace: &Workspace) -> Result<(), SandboxUnavailable> {
    Err(SandboxUnavailable::System)
}

pub(super) fn start(
    _confined: ConfinedCall<'_>,
    _state: &State,
    _program: Program,
    _start: impl FnOnce(&Program) -> Result<Run, ToolError> + Send + 'static,
) -> Result<(Run, Value), ToolError> {
    Err(SandboxUnavailable::System.into_tool_error())
}
