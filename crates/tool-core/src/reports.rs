//! Live reports of a call: the time of the last one, and the partial output.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::{ContentBlock, ToolOutput};

/// Maximum number of output blocks kept per call, in case it fails.
const MAX_BLOCKS: usize = 10_000;
/// Maximum total size of these blocks in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Live reports of a call. Created only if the tool reports or an idle timeout applies; most calls
/// have neither.
#[derive(Debug)]
pub(crate) struct Reports {
    since: Instant,
    /// Nanoseconds from `since` to the last report.
    last: AtomicU64,
    partial_output: Mutex<PartialOutput>,
}

/// Partial output of a call, and the amount omitted.
#[derive(Debug, Default)]
pub(crate) struct PartialOutput {
    content: Vec<ContentBlock>,
    omitted: usize,
    pub(crate) bytes_omitted: u64,
    kept: usize,
    bytes: usize,
}

impl Reports {
    pub(crate) fn new() -> Self {
        Self {
            since: Instant::now(),
            last: AtomicU64::new(0),
            partial_output: Mutex::default(),
        }
    }

    /// Restarts the idle timeout.
    pub(crate) fn restart_idle_timeout(&self) {
        self.suspend_idle_timeout(Duration::ZERO);
    }

    /// Suspends the idle timeout for `time`, because the call waits and does not hang.
    pub(crate) fn suspend_idle_timeout(&self, time: Duration) {
        let until = self.since.elapsed().saturating_add(time).as_nanos();
        let until = u64::try_from(until).unwrap_or(u64::MAX);
        self.last.fetch_max(until, Ordering::Relaxed);
    }

    /// Returns the time of the last report, or else of creation.
    pub(crate) fn last(&self) -> Instant {
        self.since + Duration::from_nanos(self.last.load(Ordering::Relaxed))
    }

    pub(crate) fn push(&self, block: ContentBlock) {
        self.partial_output().push(block);
    }

    /// Takes the partial output, if there is any.
    pub(crate) fn take(&self) -> Option<PartialOutput> {
        let partial_output = std::mem::take(&mut *self.partial_output());
        (partial_output.kept > 0 || partial_output.omitted > 0).then_some(partial_output)
    }

    fn partial_output(&self) -> MutexGuard<'_, PartialOutput> {
        self.partial_output
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartialOutput {
    /// Joins consecutive text blocks, because some providers limit the number of blocks.
    fn push(&mut self, block: ContentBlock) {
        let bytes = block.len();
        // After the first omission nothing is kept, so that the output has no hole in the middle.
        if self.kept == MAX_BLOCKS || self.bytes + bytes > MAX_BYTES || self.omitted > 0 {
            self.omitted += 1;
            self.bytes_omitted += bytes as u64;
            return;
        }
        self.kept += 1;
        self.bytes += bytes;
        match (self.content.last_mut(), block) {
            (Some(ContentBlock::Text { text }), ContentBlock::Text { text: more }) => {
                text.push('\n');
                text.push_str(&more);
            }
            (_, block) => self.content.push(block),
        }
    }

    /// Returns the output of a call that was stopped.
    pub(crate) fn into_output(self) -> ToolOutput {
        let mut output = ToolOutput::default();
        output.warnings.extend(self.warning());
        output.content = self.content;
        output
    }

    /// Returns a warning about omitted output.
    fn warning(&self) -> Option<String> {
        (self.omitted > 0).then(|| {
            format!(
                "{} more blocks ({} bytes) of the partial output were omitted.",
                self.omitted, self.bytes_omitted
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> ContentBlock {
        ContentBlock::Image {
            media_type: "image/png".into(),
            data: "abcd".into(),
        }
    }

    #[test]
    fn joins_text_blocks_between_media() {
        let reports = Reports::new();

        for block in ["a".into(), "b".into(), image(), "c".into()] {
            reports.push(block);
        }

        let partial_output = reports.take().unwrap();
        assert_eq!(partial_output.content, ["a\nb".into(), image(), "c".into()]);
        assert_eq!(partial_output.warning(), None);
        assert!(reports.take().is_none());
    }

    #[test]
    fn counts_omitted_output_and_keeps_start() {
        let reports = Reports::new();
        reports.push("first".into());

        reports.push("x".repeat(MAX_BYTES).into());
        reports.push("after a gap".into());

        let partial_output = reports.take().unwrap();
        assert_eq!(partial_output.content, ["first".into()]);
        assert_eq!(
            partial_output.warning().unwrap(),
            "2 more blocks (262155 bytes) of the partial output were omitted."
        );
    }

    #[test]
    fn counts_empty_blocks() {
        let reports = Reports::new();

        for _ in 0..MAX_BLOCKS + 3 {
            reports.push("".into());
        }

        assert_eq!(reports.take().unwrap().omitted, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn last_report_counts() {
        let reports = Reports::new();
        let start = reports.last();

        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(reports.last(), start);
        reports.restart_idle_timeout();
        tokio::time::advance(Duration::from_secs(3)).await;

        assert_eq!(reports.last(), start + Duration::from_secs(3));
    }
}
