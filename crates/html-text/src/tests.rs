//! Tests of complete pages.

mod golden;
mod hostile;
mod properties;
