//! Arguments of calls: parsed once, repaired if unambiguous, and validated.

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
