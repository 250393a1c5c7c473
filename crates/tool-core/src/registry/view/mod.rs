//! Views: registries that show tools of another registry under other names and descriptions.

mod builder;
mod derived;
mod error;
mod item;
mod operation;
mod pattern;

pub use builder::ViewBuilder;
pub(super) use derived::{Derived, MatchedNames};
pub use error::ViewError;
pub(super) use operation::{Condition, Conditions, Operation};

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
