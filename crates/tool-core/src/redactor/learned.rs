//! Secrets learned at run time.

use std::ops::Range;
use std::sync::Arc;

use arc_swap::ArcSwap;

use super::{MIN_LENGTH, SecretForms};

/// Maximum number of learned secrets, because each one costs a search per string.
const MAX_VALUES: usize = 256;
/// Maximum length of a learned secret in bytes. Tokens and private keys have a few KiB.
const MAX_LENGTH: usize = 64 * 1024;

/// Secrets learned at run time, oldest first. Reads take no lock.
#[derive(Default)]
pub(super) struct LearnedSecrets(ArcSwap<Vec<Arc<SecretForms>>>);

/// Reason for a secret that was not learned.
///
/// # Examples
/// ```
/// use tool_core::redactor::LearnError;
/// use tool_core::{Redactor, Secret};
///
/// let rejected = Redactor::new().learn(&Secret::new("abc".to_owned()));
/// assert_eq!(rejected, Err(LearnError::TooShort));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// The secret has fewer than 6 bytes.
    #[error(
        "a secret of fewer than {MIN_LENGTH} bytes would match ordinary text; use a longer one"
    )]
    TooShort,
    /// The secret has more than 64 KiB.
    #[error(
        "a secret of more than {MAX_LENGTH} bytes cannot be learned; add its sensitive part only"
    )]
    TooLong,
}

impl LearnedSecrets {
    /// Adds a secret as the newest one, and forgets the oldest one if there are too many.
    pub(super) fn add(&self, value: &str) -> Result<(), LearnError> {
        if value.len() > MAX_LENGTH {
            return Err(LearnError::TooLong);
        }
        let added = Arc::new(SecretForms::of(value).map_err(|_| LearnError::TooShort)?);
        self.0.rcu(|known| {
            let others = known.iter().filter(|other| **other != added);
            let mut next: Vec<Arc<SecretForms>> = others.cloned().collect();
            let surplus = (next.len() + 1).saturating_sub(MAX_VALUES);
            next.drain(..surplus);
            next.push(Arc::clone(&added));
            next
        });
        Ok(())
    }

    /// Adds the places of the secrets in `text`.
    pub(super) fn find_in(&self, text: &str, found: &mut Vec<Range<usize>>) {
        for value in self.0.load().iter() {
            value.find_in(text, found);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.load().len()
    }
}
