//! What the model sent: parsed once, mended only where nothing is guessed, checked, and lent to whoever asks.

mod alias;
mod coerce;
mod defaults;
#[cfg(feature = "typed")]
mod memo;
mod pointer;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use coerce::Wanted;
pub(crate) use defaults::Defaults;
pub use value::Arguments;
pub(crate) use value::Sent;
