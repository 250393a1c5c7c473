//! Step 4: the tool reads the arguments once, and says what the call would do.

use std::time::Duration;

use super::guard::guarded;
use super::record::Record;
use super::scope::Scope;
use super::stop::StopReason;
use crate::{Arguments, PreparedCall, ToolError};

/// Time over which a preparation is logged, because nothing can interrupt it.
const SLOW: Duration = Duration::from_millis(50);

/// Prepares a call.
#[inline]
pub(super) fn prepare<'x>(
    scope: Scope<'x, 'x>,
    arguments: &'x Arguments<'x>,
) -> Result<PreparedCall<'x>, ToolError> {
    // Not through the shared pointer, whose own method would be a second call.
    guarded(|| scope.entry.tool().as_ref().prepare(scope.cx, arguments))
}

/// Measures the steps up to the preparation of a call.
///
/// # Errors
/// Fails if they took longer than the call may take, because the tool blocked.
pub(super) fn measure(
    scope: Scope<'_, '_>,
    prepared: &PreparedCall<'_>,
    arguments: &Arguments<'_>,
    record: &mut Record<'_, '_>,
) -> Result<(), ToolError> {
    // A clock costs as much as a step, so a preparation that only reads a few arguments is not measured.
    if prepared.is_quick && !record.is_delayed && !arguments.is_large() {
        return Ok(());
    }
    let taken = record.prepared();
    if taken < SLOW {
        return Ok(());
    }
    let milliseconds = u64::try_from(taken.as_millis()).unwrap_or(u64::MAX);
    tracing::warn!(
        tool = scope.entry.name().as_str(),
        milliseconds,
        "a call took long to prepare"
    );
    let timeout = scope.shared.settings.timeout_of(scope.entry, scope.options);
    if taken > timeout {
        let hints = scope.entry.definition().hints();
        return Err(StopReason::TimedOut(timeout).into_error(0, hints));
    }
    Ok(())
}
