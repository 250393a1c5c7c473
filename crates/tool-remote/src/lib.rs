#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod client;
mod decision_key;
mod digest;
mod error;
mod name;
mod nats;
mod options;
mod wire;
pub mod worker;

pub use client::RemoteTools;
pub use decision_key::DecisionKey;
pub use error::RemoteError;
pub use options::{NatsCredentials, NatsOptions};
pub use worker::Worker;
