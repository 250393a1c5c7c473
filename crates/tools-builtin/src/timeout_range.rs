//! Range of timeouts that a call may request.

use std::ops::RangeInclusive;
use std::time::Duration;

use tool_core::ToolError;

/// Time for cleanup after the longest timeout, before the registry's own timeout.
const CLEAN_UP: Duration = Duration::from_secs(30);

/// Allowed timeouts in seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimeoutRange(RangeInclusive<u64>);

impl TimeoutRange {
    pub(crate) fn new(seconds: RangeInclusive<u64>) -> Self {
        Self(seconds)
    }

    /// Returns `seconds` as a duration if the range contains it.
    pub(crate) fn timeout(&self, seconds: u64) -> Result<Duration, ToolError> {
        if self.0.contains(&seconds) {
            return Ok(Duration::from_secs(seconds));
        }
        let (least, most) = (self.0.start(), self.0.end());
        Err(ToolError::invalid_arguments(
            "timeout_seconds",
            format!("must be from {least} to {most}, not {seconds}"),
        )
        .suggest(format!("Use {}, or omit it.", seconds.clamp(*least, *most))))
    }

    /// Returns the longest timeout plus the time for cleanup.
    pub(crate) fn with_clean_up(&self) -> Duration {
        Duration::from_secs(*self.0.end()).saturating_add(CLEAN_UP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_timeout_outside_range() {
        let range = TimeoutRange::new(2..=5);

        assert_eq!(range.timeout(2).unwrap(), Duration::from_secs(2));
        assert_eq!(range.timeout(5).unwrap(), Duration::from_secs(5));
        for (seconds, nearest) in [(0, 2), (1, 2), (6, 5), (u64::MAX, 5)] {
            let error = range.timeout(seconds).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "`timeout_seconds` must be from 2 to 5, not {seconds}. Use {nearest}, or omit it."
                )
            );
        }
    }
}
