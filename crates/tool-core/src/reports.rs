//! Live reports of a call: the time of the last one, and the partial output.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::{ContentBlock, ToolOutput};

/// Maximum number of output blocks kept per call, in case it fails.
const MOST_PIECES: usize = 10_000;
/// Maximum total size of these blocks in bytes.
const MOST_BYTES: usize = 256 * 1024;

/// Live reports of a call. Created only if the tool reports or an idle timeout applies; most calls
/// have neither.
#[derive(Debug)]
pub(crate) struct Reports {
    since: Instant,
    /// Nanoseconds from `since` to the last report.
    last: AtomicU64,
    pieces: Mutex<Pieces>,
}

/// Partial output of a call, and the amount omitted.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    content: Vec<ContentBlock>,
    left_out: usize,
    pub(crate) bytes_left_out: u64,
    kept: usize,
    bytes: usize,
}

impl Reports {
    pub(crate) fn new() -> Self {
        Self {
            since: Instant::now(),
            last: AtomicU64::new(0),
            pieces: Mutex::default(),
        }
    }

    /// Restarts the idle timeout.
    pub(crate) fn spoke(&self) {
        let after = u64::try_from(self.since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.last.fetch_max(after, Ordering::Relaxed);
    }

    /// Suspends the idle timeout for `time`, because the call waits and does not hang.
    pub(crate) fn waits(&self, time: Duration) {
        let until = self.since.elapsed().saturating_add(time).as_nanos();
        let until = u64::try_from(until).unwrap_or(u64::MAX);
        self.last.fetch_max(until, Ordering::Relaxed);
    }

    /// Returns the time of the last report, or else of creation.
    pub(crate) fn last(&self) -> Instant {
        self.since + Duration::from_nanos(self.last.load(Ordering::Relaxed))
    }

    pub(crate) fn keep(&self, piece: ContentBlock) {
        self.pieces().push(piece);
    }

    /// Takes the partial output, if there is any.
    pub(crate) fn take(&self) -> Option<Pieces> {
        let pieces = std::mem::take(&mut *self.pieces());
        (pieces.kept > 0 || pieces.left_out > 0).then_some(pieces)
    }

    fn pieces(&self) -> MutexGuard<'_, Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pieces {
    /// Joins consecutive text blocks, because some providers limit the number of blocks.
    fn push(&mut self, piece: ContentBlock) {
        let bytes = piece.len();
        if self.kept == MOST_PIECES || self.bytes + bytes > MOST_BYTES || self.left_out > 0 {
            self.left_out += 1;
            self.bytes_left_out += bytes as u64;
            return;
        }
        self.kept += 1;
        self.bytes += bytes;
        match (self.content.last_mut(), piece) {
            (Some(ContentBlock::Text { text }), ContentBlock::Text { text: more }) => {
                text.push('\n');
                text.push_str(&more);
            }
            (_, piece) => self.content.push(piece),
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
        (self.left_out > 0).then(|| {
            format!(
                "{} more blocks ({} bytes) of the partial output were omitted.",
                self.left_out, self.bytes_left_out
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

        for piece in ["a".into(), "b".into(), image(), "c".into()] {
            reports.keep(piece);
        }

        let pieces = reports.take().unwrap();
        assert_eq!(pieces.content, ["a\nb".into(), image(), "c".into()]);
        assert_eq!(pieces.warning(), None);
        assert!(reports.take().is_none());
    }

    #[test]
    fn counts_omitted_output_and_keeps_start() {
        let reports = Reports::new();
        reports.keep("first".into());

        reports.keep("x".repeat(MOST_BYTES).into());
        reports.keep("after a gap".into());

        let pieces = reports.take().unwrap();
        assert_eq!(pieces.content, ["first".into()]);
        assert_eq!(
            pieces.warning().unwrap(),
            "2 more blocks (262155 bytes) of the partial output were omitted."
        );
    }

    #[test]
    fn counts_empty_blocks() {
        let reports = Reports::new();

        for _ in 0..MOST_PIECES + 3 {
            reports.keep("".into());
        }

        assert_eq!(reports.take().unwrap().left_out, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn last_report_counts() {
        let reports = Reports::new();
        let start = reports.last();

        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(reports.last(), start);
        reports.spoke();
        tokio::time::advance(Duration::from_secs(3)).await;

        assert_eq!(reports.last(), start + Duration::from_secs(3));
    }
}
