//! Shared code of the examples.

pub mod surveyor;
pub mod terminal;
