//! What the tools are called: one file for each contract.

mod dracode;
mod standard;
mod words;

pub use dracode::dracode;
pub use standard::standard;
