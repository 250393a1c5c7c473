//! Defaults of a schema: collected on registration and filled into each call at any depth.
//!
//! Properties, items, map members and local references are followed, including recursive
//! references. Branches of `anyOf` and `oneOf` are not, because the matching branch is known only
//! after validation.

mod check;
mod collect;
mod compile;
mod fill;
mod filler;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use tree::Defaults;
