//! What the kernel offers.

use landlock::{ABI, LandlockStatus, RestrictSelf};

use crate::shell::sandbox::SandboxUnavailable;

/// The first version of Landlock that also refuses to cut files off.
const LEAST: i32 = ABI::V3 as i32;

/// The newest version that the rules here were tried with.
const MOST: i32 = ABI::V7 as i32;

/// What the kernel offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kernel {
    /// The version of Landlock; 0 where there is none.
    landlock: i32,
}

impl Kernel {
    /// Asks this kernel.
    pub(super) fn of_host() -> Self {
        // With nothing to restrict, this only looks.
        let status = RestrictSelf::default().no_new_privs(false).apply();
        let landlock = match status.map(|status| status.landlock) {
            Ok(LandlockStatus::Available { effective_abi, .. }) => effective_abi as i32,
            _ => 0,
        };
        Self { landlock }
    }

    /// A kernel with this version of Landlock.
    #[cfg(test)]
    pub(super) fn with_landlock(landlock: i32) -> Self {
        Self { landlock }
    }

    /// The version of Landlock to use.
    pub(super) fn abi(self) -> Result<ABI, SandboxUnavailable> {
        if self.landlock < LEAST {
            return Err(SandboxUnavailable::Kernel {
                found: self.landlock,
                needed: LEAST,
            });
        }
        Ok(ABI::from(self.landlock.min(MOST)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_lets_files_be_cut_off_is_too_old() {
        for found in [0, 1, 2] {
            let error = Kernel::with_landlock(found).abi().unwrap_err();

            assert_eq!(
                error.to_string(),
                format!("the kernel offers Landlock {found}, and 3 is needed")
            );
        }
    }

    #[test]
    fn of_a_newer_kernel_what_is_known_is_used() {
        for (found, used) in [(3, ABI::V3), (6, ABI::V6), (7, ABI::V7), (12, ABI::V7)] {
            assert_eq!(Kernel::with_landlock(found).abi().unwrap(), used, "{found}");
        }
    }
}
