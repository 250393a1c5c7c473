//! Terminal output of a run.

mod bar;
mod interrupt;
mod line;
mod steps;
mod words;

pub use bar::Bar;
pub use interrupt::cancel_on_interrupt;
pub use line::{one_line, say};
pub use steps::{Steps, summary};
pub use words::Words;
