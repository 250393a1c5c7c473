//! One capability under many names: presentations, and the toolsets that list them.

mod adapted_tool;
mod apply;
mod clamp;
mod error;
mod mapping;
mod presentation;
mod rendering;
mod schema;
mod suggestions;
mod toolset;

pub use adapted_tool::AdaptedTool;
pub use error::PresentationError;
pub(crate) use mapping::Mapping;
pub use presentation::Presentation;
pub use toolset::Toolset;

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
