//! The JSON value in a model's response, without the text around it.
//!
//! A model that must return JSON often adds a sentence, a code fence or an example. These rules select the value:
//!
//! 1. A response that is one JSON value is returned unchanged. Whitespace and byte-order marks around it are allowed.
//! 2. Otherwise every complete object and array is a candidate, inside and outside fences. Values inside a candidate, or inside
//!    invalid JSON, are not. A bracket that no JSON follows, as in `[see below]`, is prose.
//! 3. The longest candidate is selected; of equally long ones, the last. [`JsonTrim::accept`] can reject candidates.
//! 4. A response that ends inside an object or array is truncated and rejected, even if it has complete candidates, because the
//!    truncated value may be the requested one.
//! 5. Nothing is repaired, completed or extracted from a string. JSON means RFC 8259, at most 127 levels, without duplicate keys.
//! 6. A number, string or literal is selected only with [`JsonKind::Any`], and only if it is the entire response or the entire
//!    content of its only code fence.
//!
//! The time is linear in the length of the response.

mod error;
mod fence;
mod json_trim;
mod kind;
mod scan;
mod search;
#[cfg(test)]
mod tests;
mod trimmed;

pub use error::TrimError;
pub use json_trim::{JsonTrim, trim_to_json};
pub use kind::JsonKind;
pub use trimmed::TrimmedJson;
