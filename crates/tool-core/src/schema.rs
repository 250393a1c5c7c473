//! JSON Schemas of tools: derived from types, built by hand, compiled, and queried for coercion.

mod by_hand;
#[cfg(feature = "validate")]
mod compiled;
#[cfg(feature = "typed")]
mod derive;
mod fit;
mod ignored;
#[cfg(feature = "validate")]
mod issues;
mod passes;
#[cfg(feature = "validate")]
mod plan;
mod query;
mod required;
#[cfg(not(feature = "validate"))]
mod trusting;
mod unvalidated;
#[cfg(feature = "validate")]
mod validator;
#[cfg(feature = "validate")]
mod weight;

pub use by_hand::{add_property, add_required, object_schema};
#[cfg(feature = "validate")]
pub use compiled::{CompiledSchema, SchemaError};
#[cfg(feature = "typed")]
pub use derive::schema_of;
#[cfg(feature = "typed")]
pub(crate) use derive::{output_schema_of, typed_schema_of};
pub(crate) use fit::Fit;
pub(crate) use ignored::{Known, all_known, ignored};
pub(crate) use passes::{with_type_ranges, without_type_ranges};
pub(crate) use query::{resolve, type_name, types_of};
pub(crate) use required::check_required;
#[cfg(not(feature = "validate"))]
pub(crate) use trusting::Validator;
pub(crate) use unvalidated::first_constraint;
#[cfg(feature = "validate")]
pub(crate) use validator::Validator;
