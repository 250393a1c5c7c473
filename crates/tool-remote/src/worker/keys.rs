//! Keys of calls in the ledger of the workers.

use tool_core::ledger::CallKey;
use tool_core::{Arguments, Tool};

use crate::wire::Request;

/// Returns the scope of a caller's calls. It differs from the caller's own scope, so that both sides may share a ledger.
pub(super) fn scope(tenant: &str, key: &CallKey) -> String {
    ["remote/", tenant, "/", &key.scope].concat()
}

/// Returns the key of a call: the tool's own, or the caller's.
pub(super) fn key(tenant: &str, request: &Request, tool: &dyn Tool) -> CallKey {
    let scope = scope(tenant, &request.key);
    let arguments = Arguments::from_value(request.arguments.value().clone());
    match tool.idempotency_key(&arguments) {
        Some(own) => CallKey::new(scope, [&request.tool, ":", &own].concat()),
        None => CallKey::new(scope, request.key.key.clone()),
    }
}
