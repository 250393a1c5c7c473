//! Default values and other names of parameters.

use std::num::NonZeroUsize;

pub(crate) fn root() -> String {
    ".".to_owned()
}

/// Other names of the parameter `path`.
pub(crate) const PATH_ALIASES: &[(&str, &str)] = &[
    ("file_path", "path"),
    ("directory", "path"),
    ("base_path", "path"),
];

/// Maximum number of entries in a listing.
pub(crate) fn limit() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(999)
}

pub(crate) fn yes() -> bool {
    true
}

/// Maximum number of lines of a file.
pub(super) fn lines() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(9_999)
}
