//! The JSON value in a model's final answer, without what the model wrote around it.
//!
//! A model that is asked for JSON often writes a sentence before it, a code fence around it, or an example of it first. What is
//! taken of such an answer follows from these rules and from nothing else:
//!
//! 1. An answer that is one JSON value, after blanks and a byte-order mark, is taken whole.
//! 2. Otherwise objects and arrays are looked for, in fences and in prose alike. A whole one is a candidate; what is inside a
//!    candidate is not one, and neither is what is inside an object or array that turns out not to be JSON. A bracket that
//!    nothing of JSON follows, as in `[see below]`, is prose.
//! 3. The longest candidate is taken, of equal ones the last; with [`JsonTrim::accept`] the longest that is accepted.
//! 4. An answer that ends inside an object or array was cut off. It is refused, whatever whole candidates stand before: the
//!    value that was asked for may be the one that is missing.
//! 5. Nothing is mended, completed or taken out of a string. JSON is what RFC 8259 says, at most 127 levels deep, and no object
//!    has a key twice.
//! 6. A number, a string or a literal is taken only with [`JsonKind::Any`], and only where it is the whole answer, or the whole of
//!    its one code fence.
//!
//! The time grows with the length of the answer and with nothing else, whatever brackets it holds.

mod error;
mod fence;
mod scan;
mod search;
#[cfg(test)]
mod tests;
mod trim;
mod trimmed;

pub use error::TrimError;
pub use trim::{JsonKind, JsonTrim, trim_to_json};
pub use trimmed::TrimmedJson;
