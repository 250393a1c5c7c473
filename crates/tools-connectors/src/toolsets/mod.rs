//! Toolsets of the connectors.

pub(crate) mod assistant;
#[cfg(feature = "_http")]
mod document;
mod standard;
#[cfg(test)]
#[cfg(all(
    feature = "gmail",
    feature = "calendar",
    feature = "anthropic-admin",
    feature = "linkedin"
))]
mod tests;

pub use assistant::{assistant, assistant_with};
pub use standard::standard;
