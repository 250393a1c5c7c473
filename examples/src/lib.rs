//! What the examples share.

pub mod surveyor;
pub mod terminal;
