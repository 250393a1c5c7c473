//! One suite over all stores: SQLite, and PostgreSQL if it is installed or `TOOL_LEDGER_POSTGRES_URL` is set.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests"
)]

mod approvals;
mod arguments;
mod claims;
mod clock;
mod clocks;
mod file_faults;
mod files;
mod host;
mod keys;
mod lists;
mod model;
mod outcomes;
mod outputs;
mod server;
mod server_faults;
mod servers;
mod setup;
mod small_disk;
mod table;
