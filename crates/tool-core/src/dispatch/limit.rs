//! Step 9: limits the output that the model sees. The full text is written to the output store, if there is one.

mod batch;
mod fit;
mod store;

pub(crate) use batch::share_out;
pub(super) use fit::{INLINE_BYTES, is_needed, limit};
