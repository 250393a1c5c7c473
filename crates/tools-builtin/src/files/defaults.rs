//! Default values of parameters.

use std::num::NonZeroUsize;

pub(crate) fn root() -> String {
    ".".to_owned()
}

/// Maximum number of entries in a listing.
pub(super) fn limit() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(999)
}

pub(crate) fn yes() -> bool {
    true
}

/// Maximum number of lines of a file.
pub(super) fn lines() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(9_999)
}
