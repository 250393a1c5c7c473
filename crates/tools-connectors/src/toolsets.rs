//! Toolsets of the connectors.

pub(crate) mod assistant;
mod standard;
#[cfg(test)]
#[cfg(all(feature = "google", feature = "linkedin"))]
mod tests;

pub use assistant::{assistant, assistant_with};
pub use standard::standard;
