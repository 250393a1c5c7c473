//! Step 4: what no schema can say, and the risk of these arguments.

use super::run::guarded;
use crate::catalog::Entry;
use crate::{Arguments, RiskLevel, ToolContext, ToolError};

/// Lets the tool check the arguments and say their risk.
pub(super) fn check(
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
) -> Result<RiskLevel, ToolError> {
    guarded(|| {
        entry.tool().check(cx, arguments)?;
        Ok(entry.tool().risk_of(arguments))
    })
}
