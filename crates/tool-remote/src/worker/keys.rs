//! Keys of calls in the ledger of the workers.

use tool_core::ledger::CallKey;
use tool_core::{Arguments, Tool, ToolContext};

use crate::wire::Request;

/// Returns the scope of a caller's calls. It differs from the caller's own scope, so that both sides may share a ledger.
pub(super) fn scope(tenant: &str, key: &CallKey) -> String {
    ["remote/", tenant, "/", &key.scope].concat()
}

/// Returns the key of a call: the tool's own, or the caller's.
pub(super) fn key(tenant: &str, request: &Request, tool: &dyn Tool) -> CallKey {
    let scope = scope(tenant, &request.key);
    let arguments = Arguments::from_value(request.arguments.value().clone());
    let cx = ToolContext::new(&*request.key.key, tool.definition().name());
    let prepared = tool.prepare(&cx, &arguments);
    // A call that cannot be prepared fails in the registry, under any key.
    match prepared.ok().and_then(|prepared| prepared.plan.once) {
        Some(own) => CallKey::new(scope, [&request.tool, ":", &own].concat()),
        None => CallKey::new(scope, request.key.key.clone()),
    }
}
