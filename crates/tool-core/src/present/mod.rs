//! One capability under many names: presentations, and the toolsets that list them.

mod advice;
mod apply;
mod clamp;
mod presentation;
mod presented;
mod toolset;
mod wording;

pub(crate) use apply::Mapping;
pub use presentation::{Presentation, PresentationError};
pub use presented::AdaptedTool;
pub use toolset::Toolset;

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
