//! Pages of a stored text.

use super::StoreError;
use crate::text::to_line_boundary;

/// Minimum bytes of a page: one character always fits.
const MIN: usize = 4;

/// Page of a stored text.
///
/// # Examples
/// ```
/// use tool_core::output_store::StoredPage;
///
/// let page = StoredPage::of("one\ntwo\n", 4, 100)?;
/// assert_eq!(page.content, "two\n");
/// assert_eq!((page.offset, page.total, page.next_offset()), (4, 8, None));
/// # Ok::<_, tool_core::output_store::StoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredPage {
    /// Text of the page.
    pub content: String,
    /// Byte offset of the page.
    pub offset: u64,
    /// Bytes of the full text.
    pub total: u64,
}

impl StoredPage {
    /// Returns a page of `whole`, as specified by [`OutputStore::read`](super::OutputStore::read).
    ///
    /// # Errors
    /// Returns [`StoreError::PastEnd`] if the offset is past the end.
    pub fn of(whole: &str, offset: u64, limit: usize) -> Result<Self, StoreError> {
        let window = PageWindow::new(offset, limit, whole.len() as u64)?;
        let end = whole
            .len()
            .min(window.start_index().saturating_add(window.bytes()));
        let bytes = whole.as_bytes().get(window.start_index()..end);
        window.page(bytes.unwrap_or_default())
    }

    /// Returns the offset of the next page; `None` at the end.
    pub fn next_offset(&self) -> Option<u64> {
        let next = self.offset.saturating_add(self.content.len() as u64);
        (next < self.total).then_some(next)
    }
}

/// Bytes to read for a page: slightly more than the page, to find character boundaries. For stores that read parts of a text.
///
/// # Examples
/// ```
/// use tool_core::output_store::PageWindow;
///
/// let stored = "one\ntwo\n".as_bytes();
/// let window = PageWindow::new(4, 100, 8)?;
/// assert_eq!((window.start(), window.bytes()), (1, 103));
/// assert_eq!(window.page(&stored[1..])?.content, "two\n");
/// # Ok::<_, tool_core::output_store::StoreError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct PageWindow {
    offset: u64,
    limit: usize,
    total: u64,
}

impl PageWindow {
    /// Creates the window of a page of at most `limit` bytes from `offset`, in a text of `total` bytes.
    ///
    /// # Errors
    /// Returns [`StoreError::PastEnd`] if the offset is past the end.
    pub fn new(offset: u64, limit: usize, total: u64) -> Result<Self, StoreError> {
        if offset > total {
            return Err(StoreError::PastEnd { total });
        }
        Ok(Self {
            offset,
            limit: limit.max(MIN),
            total,
        })
    }

    /// Returns the first byte to read.
    pub fn start(self) -> u64 {
        self.offset.saturating_sub(3)
    }

    fn start_index(self) -> usize {
        usize::try_from(self.start()).unwrap_or(usize::MAX)
    }

    /// Returns the maximum number of bytes to read.
    pub fn bytes(self) -> usize {
        self.limit.saturating_add(3)
    }

    /// Returns the page from the bytes that were read.
    ///
    /// # Errors
    /// Returns [`StoreError::Damaged`] if the bytes are not part of valid UTF-8.
    pub fn page(self, read: &[u8]) -> Result<StoredPage, StoreError> {
        let before = usize::try_from(self.offset - self.start()).unwrap_or_default();
        let back = read
            .get(..=before)
            .unwrap_or(read)
            .iter()
            .rev()
            .take_while(|byte| is_inside(**byte))
            .count();
        // There is no byte at the end of the text.
        let back = if read.len() <= before { 0 } else { back };
        let from = before.checked_sub(back).ok_or(StoreError::Damaged)?;
        let rest = read.get(from..).unwrap_or_default();
        let rest = rest.get(..self.limit).unwrap_or(rest);
        let whole = valid(rest)?;
        let offset = self.start() + from as u64;
        let ends = offset + whole.len() as u64 == self.total;
        let content = if ends { whole } else { to_line_boundary(whole) };
        if content.is_empty() && offset < self.total {
            return Err(StoreError::Damaged);
        }
        Ok(StoredPage {
            content: content.to_owned(),
            offset,
            total: self.total,
        })
    }
}

/// Returns `true` if a byte continues a character.
fn is_inside(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Returns the text in `bytes`, without an incomplete last character.
fn valid(bytes: &[u8]) -> Result<&str, StoreError> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if error.error_len().is_none() => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            str::from_utf8(good).map_err(|_| StoreError::Damaged)
        }
        Err(_) => Err(StoreError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn page_ends_at_near_line() {
        for (whole, offset, limit, content, begins) in [
            ("one\ntwo\nthree", 0, 9, "one\ntwo\n", 0),
            ("one\ntwo\nthree", 8, 9, "three", 8),
            ("a\nlong line without an end", 0, 10, "a\nlong lin", 0),
            ("äöü", 1, 100, "äöü", 0),
            ("äöü", 3, 1, "öü", 2),
            ("日本語", 6, 0, "語", 6),
            ("", 0, 10, "", 0),
            ("ab", 2, 10, "", 2),
        ] {
            let page = StoredPage::of(whole, offset, limit).unwrap();

            assert_eq!(
                (page.content.as_str(), page.offset),
                (content, begins),
                "{whole} {offset}"
            );
        }
    }

    #[test]
    fn offset_past_end_returns_total() {
        let error = StoredPage::of("abc", 4, 10).unwrap_err();

        assert!(matches!(error, StoreError::PastEnd { total: 3 }), "{error}");
    }

    #[test]
    fn invalid_utf8_is_damage() {
        let window = PageWindow::new(0, 10, 4).unwrap();

        assert!(matches!(window.page(&[0xff; 4]), Err(StoreError::Damaged)));
        assert!(matches!(window.page(&[]), Err(StoreError::Damaged)));
    }

    proptest! {
        #[test]
        fn consecutive_pages_yield_full_text(whole in "(\\PC|\n|[äöü日🦀]){0,200}", limit in 0_usize..40) {
            let (mut gathered, mut offset) = (String::new(), Some(0));
            while let Some(at) = offset {
                let page = StoredPage::of(&whole, at, limit).unwrap();

                prop_assert!(page.content.len() <= limit.max(MIN));
                gathered.push_str(&page.content);
                offset = page.next_offset();
            }
            prop_assert_eq!(gathered, whole);
        }

        #[test]
        fn page_starts_at_or_before_offset(whole in "\\PC{1,40}", offset in 0_u64..200) {
            if let Ok(page) = StoredPage::of(&whole, offset, 10) {
                prop_assert!(page.offset <= offset && offset - page.offset < 4);
                let at = usize::try_from(page.offset).unwrap();
                prop_assert!(whole[at..].starts_with(&page.content));
            }
        }
    }
}
