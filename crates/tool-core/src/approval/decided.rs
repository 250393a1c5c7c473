//! A decision that was made before its call came back.

use super::{ApprovalRequest, Decision};

/// A request that was made before, and what somebody decided about it since.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) request: ApprovalRequest,
    pub(crate) decision: Decision,
}
