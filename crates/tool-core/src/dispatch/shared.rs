//! What all calls of one registry have in common.

use std::sync::Arc;

use super::{Gate, Settings};
use crate::approval::{Answered, Approver, LivePolicy};

/// What all calls of one registry have in common, whichever tools they see.
pub(crate) struct Shared {
    pub(crate) policy: LivePolicy,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) answered: Answered,
    pub(crate) gate: Gate,
    pub(crate) settings: Settings,
}
