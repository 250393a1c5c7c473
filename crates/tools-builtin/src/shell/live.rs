//! Output that is shown while the program runs.

/// The most that is shown at once.
const MAX_PIECE_BYTES: usize = 8 * 1024;

/// The most that is shown of one run; how it goes on is told by its last line alone.
const MAX_BYTES: usize = 64 * 1024;

/// Collects what came since it was last asked, whole lines where there are some, in constant memory.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pending: Vec<u8>,
    left_out: u64,
    shown: usize,
}

impl Live {
    /// Takes the next bytes of the output.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = MAX_PIECE_BYTES
            .min(MAX_BYTES - self.shown)
            .saturating_sub(self.pending.len());
        let (kept, left_out) = bytes.split_at(room.min(bytes.len()));
        // Behind a gap nothing is taken until the gap was told.
        if self.left_out == 0 {
            self.pending.extend_from_slice(kept);
            self.left_out = left_out.len() as u64;
        } else {
            self.left_out += bytes.len() as u64;
        }
    }

    /// What came since the last time, without the end of its last line; an unfinished line waits for its end.
    pub(crate) fn take(&mut self) -> Option<String> {
        if self.shown >= MAX_BYTES {
            return None;
        }
        let end = match memchr::memrchr(b'\n', &self.pending) {
            _ if self.left_out > 0 => self.pending.len(),
            Some(end) => end + 1,
            None => return None,
        };
        let lines: Vec<u8> = self.pending.drain(..end).collect();
        self.shown = (self.shown + lines.len()).min(MAX_BYTES);
        let mut text = String::from_utf8_lossy(&lines).into_owned();
        if text.ends_with('\n') {
            text.pop();
        }
        if std::mem::take(&mut self.left_out) > 0 {
            text.push_str("\n[… more output than is shown here …]");
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_shown_and_the_rest_waits() {
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
    fn a_gap_is_told_once_and_what_comes_behind_it_is_shown_again() {
        let mut live = Live::default();
        live.push(&[b'x'; MAX_PIECE_BYTES + 1]);
        live.push(b"lost\n");

        let shown = live.take().unwrap();

        assert!(shown.starts_with("xxx"), "{shown}");
        assert!(
            shown.ends_with("xxx\n[… more output than is shown here …]"),
            "{shown}"
        );
        live.push(b"next\n");
        assert_eq!(live.take().as_deref(), Some("next"));
    }

    #[test]
    fn only_so_much_of_one_run_is_shown() {
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
                .ends_with("[… more output than is shown here …]")
        );
        assert!(live.pending.capacity() <= MAX_PIECE_BYTES);
    }
}
