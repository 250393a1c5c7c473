//! What the tools are called: one file for each contract.

mod standard;

pub use standard::standard;
