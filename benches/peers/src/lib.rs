//! The same tools in four crates, and what a call of them costs.
//!
//! A workspace of its own, so that nobody who builds the project builds its peers.

pub mod bars;
pub mod chart;
pub mod definitions;
pub mod subjects;
pub mod table;

pub use benches::workload::{Add, ReadFile, Todo, Workload};
