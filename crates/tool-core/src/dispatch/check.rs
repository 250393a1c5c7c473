//! Step 4: what no schema can say, the risk of these arguments, and what the tool finds in them.

use super::run::guarded;
use crate::approval::Assessment;
use crate::catalog::Entry;
use crate::{Arguments, RiskLevel, ToolContext, ToolError};

/// Lets the tool check the arguments, say their risk and what it finds in them.
#[inline]
pub(super) fn check(
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
) -> Result<(RiskLevel, Assessment), ToolError> {
    if !entry.has_checks() {
        return Ok((entry.definition().risk(), Assessment::default()));
    }
    guarded(|| {
        entry.tool().check(cx, arguments)?;
        let assessment = entry.tool().assess(arguments)?;
        Ok((entry.tool().risk_of(arguments), assessment))
    })
}
