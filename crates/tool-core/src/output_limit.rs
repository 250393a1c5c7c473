//! Limits on the output that the model sees.

mod estimate;
mod excerpt;
mod limit;
pub(crate) mod media;
mod share;
mod truncation;

pub use estimate::estimate_tokens;
pub use excerpt::omission;
pub(crate) use excerpt::{Excerpt, OmittedSize};
pub use limit::OutputLimit;
pub(crate) use share::shares;
pub(crate) use truncation::{Stored, StoredText, TruncatedBlock, Truncations};
