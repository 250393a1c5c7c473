//! What tests of tools need: the laws that every tool keeps, and scratch folders.

mod laws;
mod scratch;

pub use laws::{Broken, Laws, laws};
pub use scratch::Scratch;
