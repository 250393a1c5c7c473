//! Client of a request: its identity, protocol revision, capabilities, and the keys of its calls.

use rmcp::model::{ErrorData, RequestMetaObject};

use super::{Context, Reply};
use crate::meta::IDEMPOTENCY_KEY;
use crate::server::{ClientIdentity, FORM, ROOTS, SAMPLING};

/// Returns the identity of the client that sent a request.
pub(super) fn identity_of(context: &Context) -> ClientIdentity {
    #[cfg(feature = "http-server")]
    if let Some(parts) = context.extensions.get::<::http::request::Parts>() {
        let identity = parts.extensions.get::<ClientIdentity>().cloned();
        return identity.unwrap_or_else(|| ClientIdentity::new("anonymous"));
    }
    let _ = context;
    ClientIdentity::new("local")
}

/// Returns `true` if the request is of the current revision, which has times to live.
pub(super) fn is_current(context: &Context) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| !version.has_initialize())
}

/// Returns the methods of the requests that the client can respond to.
pub(super) fn supported(context: &Context) -> Vec<&'static str> {
    let capabilities = if is_current(context) {
        context.meta.client_capabilities()
    } else {
        // Older clients declare capabilities when they connect, which requests without a session do not.
        let client = context.peer.peer_info();
        client.map(|client| client.capabilities.clone())
    };
    let capabilities = capabilities.unwrap_or_default();
    let methods = [
        capabilities.elicitation.map(|_| FORM),
        capabilities.sampling.map(|_| SAMPLING),
        capabilities.roots.map(|_| ROOTS),
    ];
    methods.into_iter().flatten().collect()
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

/// Returns a new id of a call. Calls without a key have their id as the key in the ledger, so no other process may use it.
pub(super) fn call_id() -> Reply<String> {
    let id = random::<16>().map(u128::from_le_bytes);
    let id = id.ok_or_else(|| ErrorData::internal_error("there are no random numbers", None))?;
    Ok(format!("{id:032x}"))
}

/// Returns random bytes. Without random numbers of the system, there are none.
pub(super) fn random<const SIZE: usize>() -> Option<[u8; SIZE]> {
    let mut random = [0; SIZE];
    getrandom::fill(&mut random).ok()?;
    Some(random)
}

/// Returns the scope of a client's keys.
pub(super) fn scope_of(subject: &str) -> String {
    format!("mcp:{subject}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

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
}
