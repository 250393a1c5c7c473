//! Validation of the model's output before the model returns it.
//!
//! An application registers the output types it accepts, each with a JSON Schema, checks in code,
//! or both. The model calls [`ValidateOutput`] with its data, fixes the errors, and calls it again.
//! Warnings do not make data invalid.

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
