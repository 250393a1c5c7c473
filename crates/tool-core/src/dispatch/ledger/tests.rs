//! Calls of a registry with a ledger.

mod approvals;
mod outcomes;
mod recovery;
mod setup;
