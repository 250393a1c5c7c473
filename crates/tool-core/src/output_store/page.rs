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
        let total = whole.len() as u64;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        if start > whole.len() {
            return Err(StoreError::PastEnd { total });
        }
        let start = whole.floor_char_boundary(start);
        let end = whole.floor_char_boundary(start.saturating_add(limit.max(MIN)));
        let content = whole.get(start..end).unwrap_or_default();
        let ends = end == whole.len();
        Ok(Self {
            content: if ends {
                content
            } else {
                to_line_boundary(content)
            }
            .to_owned(),
            offset: start as u64,
            total,
        })
    }

    /// Returns the offset of the next page; `None` at the end.
    pub fn next_offset(&self) -> Option<u64> {
        let next = self.offset.saturating_add(self.content.len() as u64);
        (next < self.total).then_some(next)
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
