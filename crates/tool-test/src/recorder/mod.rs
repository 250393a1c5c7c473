//! Recorder of calls and outcomes.

mod call;
mod called;
mod log;
#[cfg(test)]
mod tests;

pub use call::RecordedCall;
pub use called::Called;
pub use log::Recorder;
