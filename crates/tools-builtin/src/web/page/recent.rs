//! Cache of fetched pages.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::PageFormat;

/// Maximum number of pages.
const MAX_PAGES: usize = 8;
/// Maximum total size of the pages in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Maximum age of a page.
const MAX_AGE: Duration = Duration::from_mins(10);

/// Cache key of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) struct PageKey {
    pub(in crate::web) url: String,
    pub(in crate::web) format: PageFormat,
    pub(in crate::web) max_bytes: u64,
}

/// Recently fetched pages, newest first.
#[derive(Debug)]
pub(in crate::web) struct RecentPages<P> {
    pages: Mutex<VecDeque<CachedPage<P>>>,
}

#[derive(Debug)]
struct CachedPage<P> {
    key: PageKey,
    page: P,
    bytes: usize,
    since: Instant,
}

impl<P> Default for RecentPages<P> {
    fn default() -> Self {
        Self {
            pages: Mutex::default(),
        }
    }
}

impl<P: Clone> RecentPages<P> {
    /// Returns a page if it is still cached.
    pub(in crate::web) fn get(&self, key: &PageKey, now: Instant) -> Option<P> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|kept| now.duration_since(kept.since) < MAX_AGE);
        let kept = pages.iter().find(|kept| kept.key == *key);
        kept.map(|kept| kept.page.clone())
    }

    /// Stores a page, replacing an older version, and removes the oldest pages beyond the limits.
    pub(in crate::web) fn keep(&self, key: PageKey, page: P, bytes: usize, now: Instant) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|kept| kept.key != key);
        pages.push_front(CachedPage {
            key,
            page,
            bytes,
            since: now,
        });
        pages.truncate(MAX_PAGES);
        while pages.iter().map(|kept| kept.bytes).sum::<usize>() > MAX_BYTES {
            pages.pop_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(url: impl Into<String>) -> PageKey {
        PageKey {
            url: url.into(),
            format: PageFormat::Text,
            max_bytes: 1,
        }
    }

    #[test]
    fn keeps_latest_pages() {
        let (recent, now) = (RecentPages::default(), Instant::now());
        for page in 0..10 {
            recent.keep(key(page.to_string()), page, 1, now);
        }
        recent.keep(key("5"), 55, 1, now);

        let kept: Vec<Option<i32>> = (0..10)
            .map(|page| recent.get(&key(page.to_string()), now))
            .collect();

        assert_eq!(
            kept,
            [
                None,
                None,
                Some(2),
                Some(3),
                Some(4),
                Some(55),
                Some(6),
                Some(7),
                Some(8),
                Some(9)
            ]
        );
    }

    #[test]
    fn page_expires_after_ten_minutes() {
        let (recent, now) = (RecentPages::default(), Instant::now());
        recent.keep(key("a"), 1, 1, now);

        assert_eq!(
            recent.get(&key("a"), now + Duration::from_secs(599)),
            Some(1)
        );
        assert_eq!(recent.get(&key("a"), now + Duration::from_mins(10)), None);
    }

    #[test]
    fn large_pages_evict_others() {
        let (recent, now) = (RecentPages::default(), Instant::now());
        recent.keep(key("a"), 1, MAX_BYTES / 2, now);
        recent.keep(key("b"), 2, MAX_BYTES / 2, now);
        recent.keep(key("c"), 3, 1, now);
        assert_eq!(recent.get(&key("a"), now), None);
        assert_eq!(recent.get(&key("b"), now), Some(2));

        recent.keep(key("d"), 4, MAX_BYTES + 1, now);

        assert_eq!(recent.get(&key("d"), now), None);
    }

    #[test]
    fn format_is_part_of_key() {
        let (recent, now) = (RecentPages::default(), Instant::now());
        recent.keep(key("a"), 1, 1, now);
        let markdown = PageKey {
            format: PageFormat::Markdown,
            ..key("a")
        };

        assert_eq!(recent.get(&markdown, now), None);
    }
}
