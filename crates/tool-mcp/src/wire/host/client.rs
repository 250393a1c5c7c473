//! Client of a request: its identity, protocol revision and capabilities.
//!
//! Every call checks the revision and the capabilities, so they are read in place instead of deserialized.

use rmcp::model::ProtocolVersion;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::server::{ClientIdentity, Supported};

/// Metadata keys of the revision and of the capabilities.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Returns the identity of the client that sent a request.
pub(super) fn identity_of(context: &RequestContext<RoleServer>) -> ClientIdentity {
    #[cfg(feature = "http-server")]
    if let Some(parts) = context.extensions.get::<::http::request::Parts>() {
        let identity = parts.extensions.get::<ClientIdentity>().cloned();
        return identity.unwrap_or_else(ClientIdentity::anonymous);
    }
    let _ = context;
    ClientIdentity::local()
}

/// Returns `true` if the request is of the current revision, which has times to live.
pub(super) fn is_current(context: &RequestContext<RoleServer>) -> bool {
    let is_current = |version: &str| version >= ProtocolVersion::V_2026_07_28.as_str();
    if let Some(version) = context.meta.get(VERSION).and_then(Value::as_str) {
        return is_current(version);
    }
    let client = context.peer.peer_info();
    client.is_some_and(|client| is_current(client.protocol_version.as_str()))
}

/// Returns the requests that the client can respond to.
pub(super) fn supported(context: &RequestContext<RoleServer>) -> Supported {
    let declared = context.meta.get(CAPABILITIES);
    if let Some(declared) = declared.filter(|_| is_current(context)) {
        let has = |name| declared.get(name).is_some_and(|value| !value.is_null());
        return Supported {
            forms: has("elicitation"),
            sampling: has("sampling"),
            roots: has("roots"),
        };
    }
    // Older clients declare capabilities when they connect, which requests without a session do not.
    let client = context.peer.peer_info();
    client.map_or_else(Supported::default, |client| Supported {
        forms: client.capabilities.elicitation.is_some(),
        sampling: client.capabilities.sampling.is_some(),
        roots: client.capabilities.roots.is_some(),
    })
}

/// Returns `true` if the client accepts tasks in place of results.
pub(super) fn supports_tasks(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    capabilities.is_some_and(|capabilities| capabilities.supports_tasks())
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestMetaObject;

    use super::*;

    #[test]
    fn keys_are_those_of_the_protocol() {
        assert_eq!(
            RequestMetaObject::DRAFT_REQUIRED_KEYS,
            [VERSION, CAPABILITIES]
        );
    }
}
