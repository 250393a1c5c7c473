//! One capability under many names: presentations, and the contracts that list them.

mod advice;
mod apply;
mod clamp;
mod contract;
mod engine_tool;
mod presentation;
mod presented;
mod wording;

pub(crate) use apply::Mapping;
pub use contract::Contract;
pub use presentation::{Presentation, PresentationError, show};
pub use presented::Presented;

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
