//! Landlock version of the kernel.

use landlock::{ABI, LandlockStatus, RestrictSelf};

use crate::shell::sandbox::SandboxUnavailable;

/// First version of Landlock that restricts truncation.
const MIN_VERSION: i32 = ABI::V3 as i32;

/// Newest version of Landlock with which the rules were tested.
const MAX_VERSION: i32 = ABI::V7 as i32;

/// Sandbox support of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kernel {
    /// Landlock version; 0 if it is not available.
    landlock: i32,
}

impl Kernel {
    /// Queries the running kernel.
    pub(super) fn of_host() -> Self {
        // Without a ruleset, this only queries the version.
        let status = RestrictSelf::default().no_new_privs(false).apply();
        let landlock = match status.map(|status| status.landlock) {
            Ok(LandlockStatus::Available { effective_abi, .. }) => effective_abi as i32,
            _ => 0,
        };
        Self { landlock }
    }

    #[cfg(test)]
    pub(super) fn with_landlock(landlock: i32) -> Self {
        Self { landlock }
    }

    /// Returns the Landlock version to use.
    pub(super) fn abi(self) -> Result<ABI, SandboxUnavailable> {
        if self.landlock < MIN_VERSION {
            return Err(SandboxUnavailable::Kernel {
                found: self.landlock,
                needed: MIN_VERSION,
            });
        }
        Ok(ABI::from(self.landlock.min(MAX_VERSION)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_kernels_that_cannot_restrict_truncation() {
        for found in [0, 1, 2] {
            let error = Kernel::with_landlock(found).abi().unwrap_err();

            assert_eq!(
                error.to_string(),
                format!("the kernel supports Landlock {found}; version 3 is required")
            );
        }
    }

    #[test]
    fn newer_kernels_use_latest_known_version() {
        for (found, used) in [(3, ABI::V3), (6, ABI::V6), (7, ABI::V7), (12, ABI::V7)] {
            assert_eq!(Kernel::with_landlock(found).abi().unwrap(), used, "{found}");
        }
    }
}
