//! Limit of failed authentications.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Maximum number of failures of an address in [`WINDOW`].
const MAX_FAILURES: u32 = 10;

/// Time after which failures are forgotten.
const WINDOW: Duration = Duration::from_mins(1);

/// Maximum number of remembered addresses.
const MAX_ADDRESSES: usize = 10_000;

/// Failed authentications by address.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<HashMap<IpAddr, (Instant, u32)>>);

impl Failures {
    /// Returns `true` if the address has failed too often.
    pub(super) fn is_blocked(&self, address: IpAddr) -> bool {
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = failures.get(&address);
        recent.is_some_and(|(since, count)| since.elapsed() < WINDOW && *count >= MAX_FAILURES)
    }

    /// Counts a failure.
    pub(super) fn count(&self, address: IpAddr) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_ADDRESSES && !failures.contains_key(&address) {
            failures.retain(|_, (since, _)| since.elapsed() < WINDOW);
            if failures.len() >= MAX_ADDRESSES {
                return;
            }
        }
        let entry = failures.entry(address).or_insert((Instant::now(), 0));
        if entry.0.elapsed() >= WINDOW {
            *entry = (Instant::now(), 0);
        }
        entry.1 = entry.1.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn address_is_blocked_for_one_minute() {
        let failures = Failures::default();
        let [first, second] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)));

        for _ in 0..MAX_FAILURES {
            assert!(!failures.is_blocked(first));
            failures.count(first);
        }

        assert!(failures.is_blocked(first));
        assert!(!failures.is_blocked(second));
        tokio::time::advance(WINDOW).await;
        assert!(!failures.is_blocked(first));
        failures.count(first);
        assert!(!failures.is_blocked(first));
    }
}
