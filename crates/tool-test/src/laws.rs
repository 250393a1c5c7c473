//! Invariants that every tool must satisfy.

mod answers;
mod broken;
mod check;
mod definition;
mod directory;
mod fresh;
mod generate;
mod spy;
#[cfg(test)]
mod tests;

pub use broken::Broken;
pub use check::{Laws, laws};
