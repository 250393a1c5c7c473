//! Keys of calls.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Key of a call: a scope and a key within it. Calls with the same key are one call.
///
/// The scope is a run, a tenant or a session, chosen by the host
/// ([`CallOptions::with_scope`](crate::CallOptions::with_scope)). The key is, in this order:
///
/// 1. the host's own ([`CallOptions::with_call_key`](crate::CallOptions::with_call_key));
/// 2. the tool's, with the tool's name ([`CallPlan::once`](crate::CallPlan::once));
/// 3. the id of the call, if the host set a scope;
/// 4. a random one, so that the call is recorded but never found by another call.
///
/// # Examples
/// ```
/// use tool_core::ledger::CallKey;
///
/// let key = CallKey::new("run-7", "call_1");
/// assert_eq!(key.to_string(), "run-7/call_1");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallKey {
    /// Run, tenant or session.
    pub scope: String,
    /// Key within the scope.
    pub key: String,
}

impl CallKey {
    /// Maximum bytes of the scope and of the key.
    pub const MAX_BYTES: usize = 512;
    /// Scope of calls for which the host sets none.
    pub const DEFAULT_SCOPE: &str = "default";

    /// Creates a key.
    pub fn new(scope: impl Into<String>, key: impl Into<String>) -> Self {
        Self {
            scope: scope.into(),
            key: key.into(),
        }
    }
}

impl fmt::Display for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.scope, self.key)
    }
}
