//! Accounts on test servers.

use serde_json::{Value, json};

use crate::door::testing::Server;
use crate::door::{Base, Door, Secrets};
use crate::google::Account;
use crate::google::testing::FixedToken;

pub(super) const TOKEN: &str = "ya29.canary-token";

pub(super) fn account(server: &Server) -> Account {
    let secrets = Secrets::default();
    secrets.add(TOKEN);
    let door = Door::new("Gmail", secrets, None).unwrap();
    let base = Base::parse(&server.url()).unwrap();
    Account {
        door,
        base,
        tokens: std::sync::Arc::new(FixedToken(TOKEN)),
        zone: None,
    }
}

/// Returns a message with these headers and a plain body.
pub(super) fn message(id: &str, headers: &[(&str, &str)], body: &str) -> Value {
    use base64::Engine as _;

    let headers: Vec<Value> = headers
        .iter()
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    json!({
        "id": id, "threadId": "t-1", "labelIds": ["INBOX", "UNREAD"], "snippet": "It&#39;s tea",
        "internalDate": "1792000000000",
        "payload": {
            "mimeType": "text/plain", "headers": headers,
            "body": {"size": body.len(), "data": base64::prelude::BASE64_URL_SAFE.encode(body)},
        },
    })
}
