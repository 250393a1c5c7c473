//! Background commands, which run while the model continues.

mod command;
mod list;
mod read;
mod run_future;
mod stop;
mod store;
mod tail;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

pub use command::{BackgroundCommand, BackgroundStatus};
pub use list::{BackgroundList, ListBackground, ListBackgroundInput};
pub use read::{BackgroundOutput, BackgroundOutputInput, ReadBackground};
pub use stop::{StopBackground, StopBackgroundInput};
pub use store::BackgroundCommands;
pub(crate) use tail::Tail;
