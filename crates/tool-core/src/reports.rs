//! What a call says while it runs: when it last spoke, and the output that it has reached so far.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::{ContentBlock, ToolOutput};

/// Pieces of one call that are kept for the case that it does not end well.
const MOST_PIECES: usize = 10_000;
/// Bytes of those pieces in all.
const MOST_BYTES: usize = 256 * 1024;

/// What a call says while it runs. Made when somebody speaks or listens, which most calls never do.
#[derive(Debug)]
pub(crate) struct Reports {
    since: Instant,
    /// Nanoseconds from `since` to the last report.
    last: AtomicU64,
    pieces: Mutex<Pieces>,
}

/// The output that a call has reached so far, and how much of it was too much to keep.
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

    /// The call is alive.
    pub(crate) fn spoke(&self) {
        let after = u64::try_from(self.since.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.last.fetch_max(after, Ordering::Relaxed);
    }

    /// The call says nothing for so long, because it waits and not because it hangs.
    pub(crate) fn waits(&self, time: Duration) {
        let until = self.since.elapsed().saturating_add(time).as_nanos();
        let until = u64::try_from(until).unwrap_or(u64::MAX);
        self.last.fetch_max(until, Ordering::Relaxed);
    }

    /// When the call last spoke; when this was made, where it has not.
    pub(crate) fn last(&self) -> Instant {
        self.since + Duration::from_nanos(self.last.load(Ordering::Relaxed))
    }

    pub(crate) fn keep(&self, piece: ContentBlock) {
        self.pieces().push(piece);
    }

    /// Moves out what was kept, where something was.
    pub(crate) fn take(&self) -> Option<Pieces> {
        let pieces = std::mem::take(&mut *self.pieces());
        (pieces.kept > 0 || pieces.left_out > 0).then_some(pieces)
    }

    fn pieces(&self) -> MutexGuard<'_, Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pieces {
    /// Texts that follow each other become one block, because some providers count blocks.
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

    /// The output of a call that got no further.
    pub(crate) fn into_output(self) -> ToolOutput {
        let mut output = ToolOutput::default();
        output.warnings.extend(self.warning());
        output.content = self.content;
        output
    }

    /// What a reader must know about what is not here.
    fn warning(&self) -> Option<String> {
        (self.left_out > 0).then(|| {
            format!(
                "{} more pieces ({} bytes) of the output reached so far were left out.",
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
    fn texts_become_one_block_and_media_stay_between_them() {
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
    fn what_is_too_much_is_counted_and_what_came_first_stays() {
        let reports = Reports::new();
        reports.keep("first".into());

        reports.keep("x".repeat(MOST_BYTES).into());
        reports.keep("after a gap".into());

        let pieces = reports.take().unwrap();
        assert_eq!(pieces.content, ["first".into()]);
        assert_eq!(
            pieces.warning().unwrap(),
            "2 more pieces (262155 bytes) of the output reached so far were left out."
        );
    }

    #[test]
    fn empty_pieces_are_counted_too() {
        let reports = Reports::new();

        for _ in 0..MOST_PIECES + 3 {
            reports.keep("".into());
        }

        assert_eq!(reports.take().unwrap().left_out, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_word_counts() {
        let reports = Reports::new();
        let start = reports.last();

        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(reports.last(), start);
        reports.spoke();
        tokio::time::advance(Duration::from_secs(3)).await;

        assert_eq!(reports.last(), start + Duration::from_secs(3));
    }
}
