//! Keys of calls in the ledger that are known before the arguments are checked.

use std::sync::OnceLock;

use crate::CallOptions;
use crate::catalog::Entry;
use crate::ledger::CallKey;

/// Returns `true` if a call may use the ledger: it may have an effect, or the host set its key.
#[inline]
pub(super) fn may_claim(entry: &Entry, options: Option<&CallOptions>) -> bool {
    !entry.definition().hints().read_only || has_key(options)
}

pub(super) fn has_key(options: Option<&CallOptions>) -> bool {
    options.is_some_and(|options| options.call_key.is_some())
}

/// Returns the key of a decided request or of the host, which is known before the arguments are checked.
pub(super) fn key_of_host(options: Option<&CallOptions>) -> OnceLock<CallKey> {
    let requested = || options?.decided.as_deref()?.request.call_key.clone();
    let of_host = || {
        let key = options?.call_key.as_ref()?;
        Some(CallKey::new(space_of(options), key))
    };
    requested()
        .or_else(of_host)
        .map_or_else(OnceLock::new, OnceLock::from)
}

/// Returns the scope of the host, else the default.
pub(super) fn space_of(options: Option<&CallOptions>) -> &str {
    let space = options.and_then(|options| options.scope.as_deref());
    space.unwrap_or(CallKey::DEFAULT_SCOPE)
}
