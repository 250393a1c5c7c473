//! What tests of tools need: the laws that every tool keeps, and scratch folders.

mod scratch;

pub use scratch::Scratch;
