//! Step 4: constraints that a schema cannot express, and the risk of the arguments.

use super::guard::guarded;
use super::scope::Scope;
use crate::approval::Assessment;
use crate::{Arguments, RiskLevel, ToolError};

/// Findings of a tool about the arguments of a call.
pub(super) struct Checked {
    pub(super) risk: RiskLevel,
    pub(super) assessment: Assessment,
}

/// Runs the tool's own checks.
#[inline]
pub(super) fn check(scope: Scope<'_, '_>, arguments: &Arguments<'_>) -> Result<Checked, ToolError> {
    let Scope { entry, cx, .. } = scope;
    if entry.uses_default_checks() {
        return Ok(Checked {
            risk: entry.definition().risk(),
            assessment: Assessment::default(),
        });
    }
    guarded(|| {
        entry.tool().check(cx, arguments)?;
        let assessment = entry.tool().assess(arguments)?;
        let risk = entry.tool().risk_of(arguments);
        Ok(Checked { risk, assessment })
    })
}
