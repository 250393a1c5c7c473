//! Contents that the model has seen in this session, so that no call overwrites what others changed since.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

/// Maximum number of remembered files. The oldest are forgotten, and then count as never read.
const MAX_FILES: usize = 1000;
/// Maximum bytes of the remembered contents. Beyond it, only digests are kept.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Files that were read or written in a session. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeenFiles(Arc<Mutex<Store>>);

/// Files, the oldest first.
#[derive(Default)]
struct Store(VecDeque<SeenFile>);

struct SeenFile {
    key: String,
    digest: [u8; 32],
    content: Option<Arc<Vec<u8>>>,
}

/// A file compared with what was seen of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Comparison {
    NeverSeen,
    Unchanged,
    /// The content has changed; with the old one, if it is still known.
    Changed(Option<Arc<Vec<u8>>>),
}

impl SeenFiles {
    /// Remembers the content of the file with this [key](crate::workspace::Workspace::key_of).
    pub(super) fn remember(&self, key: &str, content: &[u8]) {
        // By content, not by time: a file that was only touched has not changed.
        let digest = Sha256::digest(content).into();
        let content = (content.len() <= MAX_BYTES).then(|| Arc::new(content.to_vec()));
        let mut store = self.store();
        store.forget(key);
        store.0.push_back(SeenFile {
            key: key.to_owned(),
            digest,
            content,
        });
        store.shrink();
    }

    /// Forgets a file, which then counts as never read.
    pub(super) fn forget(&self, key: &str) {
        self.store().forget(key);
    }

    pub(super) fn compare(&self, key: &str, now: &[u8]) -> Comparison {
        let store = self.store();
        match store.0.iter().find(|seen| seen.key == key) {
            None => Comparison::NeverSeen,
            Some(seen) if seen.digest == *Sha256::digest(now) => Comparison::Unchanged,
            Some(seen) => Comparison::Changed(seen.content.clone()),
        }
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    fn forget(&mut self, key: &str) {
        self.0.retain(|seen| seen.key != key);
    }

    fn shrink(&mut self) {
        if self.0.len() > MAX_FILES {
            self.0.pop_front();
        }
        let mut bytes = 0;
        for seen in self.0.iter_mut().rev() {
            bytes += seen.content.as_ref().map_or(0, |content| content.len());
            if bytes > MAX_BYTES {
                seen.content = None;
            }
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not the contents, which may be secret.
        f.debug_struct("Store")
            .field("files", &self.0.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_contents() {
        let seen = SeenFiles::default();

        assert_eq!(seen.compare("a", b"one"), Comparison::NeverSeen);
        seen.remember("a", b"one");
        assert_eq!(seen.compare("a", b"one"), Comparison::Unchanged);
        let old = Some(Arc::new(b"one".to_vec()));
        assert_eq!(seen.compare("a", b"two"), Comparison::Changed(old));
        seen.remember("a", b"two");
        assert_eq!(seen.compare("a", b"two"), Comparison::Unchanged);
        assert_eq!(seen.clone().compare("b", b""), Comparison::NeverSeen);
    }

    #[test]
    fn forgets_the_oldest_contents_and_then_the_oldest_files() {
        let seen = SeenFiles::default();
        let large = vec![b'x'; MAX_BYTES / 2];
        for key in ["a", "b", "c"] {
            seen.remember(key, &large);
        }

        assert_eq!(seen.compare("a", b""), Comparison::Changed(None));
        assert_eq!(seen.compare("a", &large), Comparison::Unchanged);
        assert_ne!(seen.compare("b", b""), Comparison::Changed(None));
        for file in 0..MAX_FILES {
            seen.remember(&file.to_string(), b"");
        }
        assert_eq!(seen.compare("c", b""), Comparison::NeverSeen);
        assert_eq!(seen.compare("0", b""), Comparison::Unchanged);
        assert_eq!(seen.store().0.len(), MAX_FILES);
    }

    #[test]
    fn content_over_the_limit_is_compared_by_digest() {
        let seen = SeenFiles::default();
        let huge = vec![b'x'; MAX_BYTES + 1];

        seen.remember("a", &huge);

        assert_eq!(seen.compare("a", &huge), Comparison::Unchanged);
        assert_eq!(seen.compare("a", b""), Comparison::Changed(None));
    }
}
