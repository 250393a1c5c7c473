//! Defaults of a schema: found once when a tool is registered, filled into each call at any depth.
//!
//! Properties, items and members of maps are entered, local references followed, also those of a schema to itself.
//! Branches of `anyOf` and `oneOf` are not: which of them is meant is known only after validation.

mod check;
mod collect;
mod fill;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use tree::Defaults;
