//! Rules for reachable addresses.

mod address_guard;
mod inner;
mod names;
mod network;
mod ports;
mod ranges;
mod refusal;
#[cfg(test)]
mod tests;

pub use address_guard::{AddressGuard, InvalidHost};
pub use network::{InvalidNetwork, Network};
pub use refusal::{UrlRefusal, UrlRule};
