//! Error of an operation on a file.

use tool_core::ledger::LedgerError;

/// Error of an operation.
pub(super) enum OperationError {
    /// The file failed, so the transaction is rolled back.
    File(rusqlite::Error),
    /// The operation is rejected and has written nothing.
    Rejected(LedgerError),
}

impl From<rusqlite::Error> for OperationError {
    fn from(error: rusqlite::Error) -> Self {
        Self::File(error)
    }
}

impl From<LedgerError> for OperationError {
    fn from(error: LedgerError) -> Self {
        Self::Rejected(error)
    }
}
