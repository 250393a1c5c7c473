//! Partial output shown while the program runs.

/// Maximum bytes shown in one update.
const MAX_CHUNK_BYTES: usize = 8 * 1024;

/// Maximum bytes shown of one run. After that, only the progress message is updated.
const MAX_BYTES: usize = 64 * 1024;

/// Collects output since the last call to [`take`](Self::take), by complete lines and in constant
/// memory.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pending: Vec<u8>,
    omitted: u64,
    shown: usize,
}

impl Live {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = MAX_CHUNK_BYTES
            .min(MAX_BYTES - self.shown)
            .saturating_sub(self.pending.len());
        let (kept, omitted) = bytes.split_at(room.min(bytes.len()));
        // After a gap, drop all output until the gap has been reported.
        if self.omitted == 0 {
            self.pending.extend_from_slice(kept);
            self.omitted = omitted.len() as u64;
        } else {
            self.omitted += bytes.len() as u64;
        }
    }

    /// Returns the complete lines since the last call, without the final newline.
    pub(crate) fn take(&mut self) -> Option<String> {
        if self.shown >= MAX_BYTES {
            return None;
        }
        let end = match memchr::memrchr(b'\n', &self.pending) {
            // The chunk is full, so don't wait for the rest of a line that may be longer than a chunk.
            _ if self.omitted > 0 => self.pending.len(),
            Some(end) => end + 1,
            None => return None,
        };
        let lines: Vec<u8> = self.pending.drain(..end).collect();
        self.shown = (self.shown + lines.len()).min(MAX_BYTES);
        let mut text = String::from_utf8_lossy(&lines).into_owned();
        if text.ends_with('\n') {
            text.pop();
        }
        if std::mem::take(&mut self.omitted) > 0 {
            text.push_str("\n[… more output was not shown …]");
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_complete_lines_only() {
        let mut live = Live::default();

        let shown: Vec<Option<String>> = [&b"one\ntw"[..], b"", b"o", b"\nthree\nfo"]
            .into_iter()
            .map(|bytes| {
                live.push(bytes);
                live.take()
            })
            .collect();

        assert_eq!(
            shown,
            [
                Some("one".to_owned()),
                None,
                None,
                Some("two\nthree".to_owned())
            ]
        );
    }

    #[test]
    fn reports_gap_once_and_then_resumes() {
        let mut live = Live::default();
        live.push(&[b'x'; MAX_CHUNK_BYTES + 1]);
        live.push(b"lost\n");

        let shown = live.take().unwrap();

        assert!(shown.starts_with("xxx"), "{shown}");
        assert!(
            shown.ends_with("xxx\n[… more output was not shown …]"),
            "{shown}"
        );
        live.push(b"next\n");
        assert_eq!(live.take().as_deref(), Some("next"));
    }

    #[test]
    fn limits_total_bytes_shown() {
        let mut live = Live::default();

        let shown: Vec<String> = (0..1000)
            .filter_map(|_| {
                live.push(&[b"x".repeat(999), b"\n".to_vec()].concat());
                live.take()
            })
            .collect();

        let bytes: usize = shown.iter().map(String::len).sum();
        assert!(
            (MAX_BYTES - 1000..MAX_BYTES + 1000).contains(&bytes),
            "{bytes}"
        );
        assert!(
            shown
                .last()
                .unwrap()
                .ends_with("[… more output was not shown …]")
        );
        assert!(live.pending.capacity() <= MAX_CHUNK_BYTES);
    }
}
