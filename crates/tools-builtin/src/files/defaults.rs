//! What parameters are when they are left out.

use std::num::NonZeroUsize;

/// The workspace root.
pub(super) fn root() -> String {
    ".".to_owned()
}

/// How many entries a listing gives.
pub(super) fn limit() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(999)
}

/// What a switch is that is on.
pub(super) fn yes() -> bool {
    true
}

/// How many lines of a file are given.
pub(super) fn lines() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(9_999)
}
