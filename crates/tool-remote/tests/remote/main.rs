//! Workers and callers over a NATS server on loopback, with ledgers in memory and in PostgreSQL. Without a server, the tests
//! print a message and pass.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests"
)]

mod calls;
mod discovery;
mod faults;
mod keys;
mod ledgers;
mod nats_faults;
#[path = "../../../tool-ledger/tests/stores/server.rs"]
mod postgres;
mod queue;
mod security;
mod server;
mod site;
mod tools;
