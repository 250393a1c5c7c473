//! How much of an output is shown, and how texts and media are cut to that.

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
