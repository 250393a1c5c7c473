//! What the model sent: parsed once, mended only where nothing is guessed, checked, and lent to whoever asks.

mod alias;
mod change;
mod coerce;
mod defaults;
#[cfg(feature = "typed")]
mod memo;
mod parse;
mod pointer;
mod repair;
mod tape;
#[cfg(test)]
mod tests;
mod value;

pub use change::{Change, ChangeKind};
pub(crate) use defaults::Defaults;
pub(crate) use parse::{ParseErrorKind, ParseLimits};
pub use tape::Node;
#[cfg(feature = "validate")]
pub(crate) use tape::NodeView;
#[cfg(feature = "validate")]
pub(crate) use tape::TapeJson;
pub use value::Arguments;
