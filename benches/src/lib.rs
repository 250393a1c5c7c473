//! Shared code of the benches.

pub mod bar;
pub mod collected;
pub mod contest;
pub mod corpus;
pub mod measure;
pub mod options;
pub mod threads;
pub mod tools;
pub mod workload;
