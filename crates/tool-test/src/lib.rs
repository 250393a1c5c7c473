#![doc = include_str!("../README.md")]

mod laws;
mod scratch;

pub use laws::{Broken, Laws, laws};
pub use scratch::Scratch;
