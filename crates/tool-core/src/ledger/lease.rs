//! Tokens of leases.

use serde::{Deserialize, Serialize};

/// Token of a lease. Each claim has another one, so that a run that lost its lease cannot settle the call of another run.
///
/// # Examples
/// See [`Claim`](super::Claim).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LeaseToken(u64);

impl LeaseToken {
    /// Creates a token from random bits. Stores create one per claim.
    #[must_use]
    pub fn from_random(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the bits, for a store.
    #[must_use]
    pub fn as_u64(self) -> u64 {
        self.0
    }
}
