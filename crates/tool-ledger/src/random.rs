//! Random tokens and handles.

use std::io;

use tool_core::ledger::{LeaseToken, LedgerError};
#[cfg(any(feature = "postgres", feature = "sqlite"))]
use tool_core::output_store::{OutputHandle, StoreError};

fn no_random() -> io::Error {
    io::Error::other("the system returned no random numbers")
}

/// Returns a token that no other claim has.
pub(crate) fn token() -> Result<LeaseToken, LedgerError> {
    let mut bytes = [0; 8];
    // Not a counter: several processes claim, and one that restarts must not get the token of an old claim.
    getrandom::fill(&mut bytes).map_err(|_| LedgerError::unavailable(no_random()))?;
    Ok(LeaseToken::from_random(u64::from_ne_bytes(bytes)))
}

/// Returns the handle of a new output.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(crate) fn handle() -> Result<OutputHandle, StoreError> {
    let mut bytes = [0; 16];
    // Whoever knows a handle can read the output, so it must not be guessable.
    getrandom::fill(&mut bytes).map_err(|_| StoreError::NoRandomness)?;
    Ok(OutputHandle::from_random(u128::from_ne_bytes(bytes)))
}
