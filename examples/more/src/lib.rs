//! Shared code of the examples.

pub mod gardener;
pub mod provider;
pub mod surveyor;
pub mod terminal;
