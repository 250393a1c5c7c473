//! Ledger of calls: a call that is not idempotent runs at most once per key, also across crashes and replicas.
//!
//! A registry with a [`Ledger`] ([`RegistryBuilder::ledger`](crate::RegistryBuilder::ledger)) claims the [`CallKey`] of a
//! call after the decision and before the tool runs, and stores the result before it is returned. A later call with the same
//! key returns the stored result or fails with `outcome_unknown`; it never runs a second time. Calls that only read skip the
//! ledger unless the host sets their key.
//!
//! | state | meaning | next claim of the key |
//! |---|---|---|
//! | `awaiting_approval` | a request for approval waits | [`Claim::AwaitingApproval`], or [`Claim::New`] with its decision |
//! | `claimed` | no run is in progress, and a run is safe | [`Claim::New`] |
//! | `running` | a run holds the lease | [`Claim::Running`] |
//! | `done` | the tool succeeded | [`Claim::Done`] |
//! | `failed_without_effect` | the call failed before it had any effect | [`Claim::New`] |
//! | `failed_with_possible_effect` | the call failed and may have had an effect | [`Claim::Done`] with the failed result |
//! | `unknown` | the lease ended before the outcome was stored | [`Claim::Unknown`] |
//!
//! If a lease ends, calls that may be repeated return to `claimed` and other calls become `unknown`.
//! [`Registry::recover`](crate::Registry::recover) asks the tools about unknown calls.
//!
//! Exactly-once is not promised: no library can promise it for effects outside its database.

mod arguments;
mod claim;
mod entry;
mod error;
mod intent;
mod key;
mod lease;
mod state;
mod store;
mod transitions;
mod verified;

pub use crate::call_key::CallKey;
pub use arguments::{ArgumentCipher, CipherError, StoredArguments};
pub use claim::Claim;
pub use entry::{LedgerEntry, LedgerFilter, Page};
pub use error::LedgerError;
pub use intent::Intent;
pub use lease::LeaseToken;
pub use state::{LedgerState, Settled};
pub use store::Ledger;
pub use verified::{Recovery, Verified};
