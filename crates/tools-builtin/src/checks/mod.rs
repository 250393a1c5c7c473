//! Checks of what the model is about to give as its result, before it gives it.
//!
//! An application registers the types of output that it takes: each has a JSON Schema, checks in code, or both. The model asks
//! [`ValidateOutput`] whether its data fits, mends what is wrong, and asks again. Warnings never stand in the way.

mod domain_map;
mod findings;
mod output_type;
mod output_types;
#[cfg(test)]
mod tests;
mod validate_output;

pub use domain_map::domain_map;
pub use findings::Findings;
pub use output_type::OutputType;
pub use output_types::OutputTypes;
pub use validate_output::{ValidateOutput, ValidateOutputInput, ValidationReport};
