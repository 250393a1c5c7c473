//! Tests of complete pages.

mod golden;
mod hostile;
mod properties;
mod standard;
