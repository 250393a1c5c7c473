//! Laws and round trips that take the whole crate.

mod derived;
mod hostile;
mod inverse;
mod laws;
mod legal;
mod round_trip;
mod streamed;
mod streams;
