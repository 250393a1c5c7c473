//! One suite over all stores: memory, SQLite, and PostgreSQL if it is installed or `TOOL_LEDGER_POSTGRES_URL` is set.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests"
)]

mod approvals;
mod claims;
mod files;
mod keys;
mod lists;
mod model;
mod outcomes;
mod outputs;
mod server;
mod servers;
mod setup;
mod table;
