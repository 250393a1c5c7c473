//! Arguments of calls: parsed once, repaired if unambiguous, and validated.

mod alias;
mod coerce;
mod defaults;
mod pointer;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use coerce::TargetTypes;
pub(crate) use defaults::Defaults;
pub(crate) use value::ArgumentSource;
pub use value::Arguments;
