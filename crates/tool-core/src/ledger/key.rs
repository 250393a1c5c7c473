//! Checks of keys.

use super::{CallKey, LedgerError};

impl CallKey {
    /// Checks both parts. Stores call it before they store a key.
    ///
    /// # Errors
    /// Returns [`LedgerError::KeyTooLong`] if a part exceeds [`MAX_BYTES`](Self::MAX_BYTES), and [`LedgerError::InvalidKey`]
    /// if one contains a null character, which databases reject.
    pub fn check(&self) -> Result<(), LedgerError> {
        let bytes = self.scope.len().max(self.key.len());
        if bytes > Self::MAX_BYTES {
            return Err(LedgerError::KeyTooLong { bytes });
        }
        if self.scope.contains('\0') || self.key.contains('\0') {
            return Err(LedgerError::InvalidKey);
        }
        Ok(())
    }
}
