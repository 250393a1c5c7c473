//! Stub for builds without the feature `sandbox`.

use shell_verdict::Grant;
use tool_core::{ToolContext, ToolError};

use super::process::Run;
use super::program::Program;

/// Sandbox for the programs of one workspace; never constructed without the feature.
#[derive(Debug, Clone)]
pub(crate) enum Confinement {}

impl Confinement {
    pub(crate) fn allows_network(&self) -> bool {
        match *self {}
    }

    #[cfg(feature = "document-sets")]
    pub(crate) fn with_limited_reads(&self) -> Self {
        match *self {}
    }

    pub(crate) fn start(
        &self,
        _program: Program,
        _grants: &[Grant],
        _capture_bytes: usize,
        _cx: &ToolContext,
    ) -> Result<Run, ToolError> {
        match *self {}
    }
}
