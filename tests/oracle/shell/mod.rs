//! The parser of the command filter, which is no part of any public interface, compiled here from its own files.

pub(crate) mod filter;
