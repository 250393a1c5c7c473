#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod client;
mod decision_key;
mod error;
mod nats;
mod options;
mod wire;
mod worker;

pub use client::{RemoteBuilder, RemoteTools, RemoteWorker};
pub use decision_key::DecisionKey;
pub use error::RemoteError;
pub use options::{NatsCredentials, NatsOptions};
pub use worker::{RunningWorker, Worker};
