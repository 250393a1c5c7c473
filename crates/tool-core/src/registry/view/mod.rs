//! Other faces of a registry: some of its tools, under other names and in other words.

mod approvals;
mod builder;
mod derived;
mod error;
mod item;
mod live;
mod operation;
mod pattern;

pub use builder::ViewBuilder;
pub use error::ViewError;
pub use live::View;

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
