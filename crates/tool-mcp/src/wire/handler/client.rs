//! Client of a request: its identity, protocol revision, capabilities, and the keys of its calls.
//!
//! Every call checks the revision and the capabilities, so they are read in place instead of deserialized.

use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{ErrorData, ProtocolVersion, RequestMetaObject};

use serde_json::Value;

use super::{Context, Reply};
use crate::meta::IDEMPOTENCY_KEY;
use crate::server::{ClientIdentity, Supported};

/// Metadata keys of the revision and of the capabilities.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Returns the identity of the client that sent a request.
pub(super) fn identity_of(context: &Context) -> ClientIdentity {
    #[cfg(feature = "http-server")]
    if let Some(parts) = context.extensions.get::<::http::request::Parts>() {
        let identity = parts.extensions.get::<ClientIdentity>().cloned();
        return identity.unwrap_or_else(ClientIdentity::anonymous);
    }
    let _ = context;
    ClientIdentity::local()
}

/// Returns `true` if the request is of the current revision, which has times to live.
pub(super) fn is_current(context: &Context) -> bool {
    let is_current = |version: &str| version >= ProtocolVersion::V_2026_07_28.as_str();
    if let Some(version) = context.meta.get(VERSION).and_then(Value::as_str) {
        return is_current(version);
    }
    let client = context.peer.peer_info();
    client.is_some_and(|client| is_current(client.protocol_version.as_str()))
}

/// Returns the requests that the client can respond to.
pub(super) fn supported(context: &Context) -> Supported {
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
pub(super) fn supports_tasks(context: &Context) -> bool {
    let capabilities = context.client_capabilities();
    capabilities.is_some_and(|capabilities| capabilities.supports_tasks())
}

/// Maximum size of a key in bytes.
const MAX_KEY: usize = 256;

/// Returns the client's key of a call.
pub(super) fn idempotency_key(meta: &RequestMetaObject) -> Reply<Option<String>> {
    let Some(key) = meta.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let is_valid = |key: &&str| {
        (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let valid = key.as_str().filter(is_valid);
    let valid = valid.ok_or_else(|| {
        let reason = format!(
            "`{IDEMPOTENCY_KEY}` must be 1 to {MAX_KEY} printable ASCII characters without spaces"
        );
        ErrorData::invalid_params(reason, None)
    })?;
    Ok(Some(valid.to_owned()))
}

/// Ids of calls, which no other process uses. Calls without a key have their id as the key in the ledger.
pub(super) struct CallIds {
    process: String,
    next: AtomicU64,
}

impl CallIds {
    pub(super) fn new() -> Self {
        Self {
            // Without random numbers, the ids are unique in this process only.
            process: random_id().unwrap_or_default(),
            next: AtomicU64::new(1),
        }
    }

    pub(super) fn next(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{}-{number}", self.process)
    }
}

fn random_id() -> Option<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).ok()?;
    Some(format!("{:032x}", u128::from_le_bytes(random)))
}

/// Returns the scope of a client's keys.
pub(super) fn scope_of(subject: &str) -> String {
    format!("mcp:{subject}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn meta(key: Value) -> RequestMetaObject {
        let mut meta = RequestMetaObject::new();
        meta.insert(IDEMPOTENCY_KEY.to_owned(), key);
        meta
    }

    #[test]
    fn accepts_printable_keys_only() {
        let longest = "x".repeat(MAX_KEY);
        assert_eq!(idempotency_key(&RequestMetaObject::new()).unwrap(), None);
        for key in ["1", "order-7", longest.as_str()] {
            assert_eq!(
                idempotency_key(&meta(json!(key))).unwrap().as_deref(),
                Some(key)
            );
        }
        let too_long = "x".repeat(MAX_KEY + 1);
        for key in [
            json!(""),
            json!(7),
            json!(null),
            json!("a b"),
            json!("ä"),
            json!("a\n"),
            json!(too_long),
        ] {
            let error = idempotency_key(&meta(key.clone())).unwrap_err();
            assert!(error.message.contains(IDEMPOTENCY_KEY), "{key}: {error:?}");
        }
    }

    #[test]
    fn ids_of_servers_differ() {
        let (first, second) = (CallIds::new(), CallIds::new());

        let ids = [first.next(), first.next(), second.next(), second.next()];

        let different: std::collections::HashSet<&String> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
    }

    #[test]
    fn keys_are_those_of_the_protocol() {
        assert_eq!(
            RequestMetaObject::DRAFT_REQUIRED_KEYS,
            [VERSION, CAPABILITIES]
        );
    }
}
