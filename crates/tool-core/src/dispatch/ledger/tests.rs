//! Calls of a registry with a ledger.

mod approvals;
mod arguments;
mod inner_calls;
mod outcomes;
mod recovery;
mod setup;
