//! Calls of a registry with a ledger.

mod approvals;
mod arguments;
mod outcomes;
mod recovery;
mod setup;
