//! Tests of all toolsets, and of the result formats.

mod advice;
mod hidden_files;
mod paths;
mod results;
mod rules;
mod timeouts;
#[cfg(feature = "web")]
mod web;
