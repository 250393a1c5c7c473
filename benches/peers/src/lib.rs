//! The same tools in four crates, and the cost of calling them.
//!
//! A separate workspace, so that building the project does not build its peers.

pub mod chart;
pub mod loops;
pub mod subjects;
pub mod table;

pub use benches::workload::{Add, ReadFile, Todo, Workload};
