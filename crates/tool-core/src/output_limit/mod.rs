//! Limits on the output that the model sees.

mod cuts;
mod estimate;
mod excerpt;
mod limit;
pub(crate) mod media;
mod share;

pub(crate) use cuts::{Cut, Cuts, Kept, Made};
pub use estimate::estimate_tokens;
pub(crate) use excerpt::{Excerpt, Missing};
pub use limit::OutputLimit;
pub(crate) use share::shares;
