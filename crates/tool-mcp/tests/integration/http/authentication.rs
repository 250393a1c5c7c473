//! Credentials and identities of clients.

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_mcp::server::{
    Authenticate, AuthenticationError, BearerTokens, ClientIdentity, HttpOptions,
};

use crate::http::Served;

fn tokens() -> BearerTokens {
    BearerTokens::default()
        .with_token("ci", &"first-token".to_owned().into())
        .with_token("app", &"second-token".to_owned().into())
}

fn metadata() -> Value {
    json!({"resource": "https://mcp.example.com/mcp", "authorization_servers": ["https://login.example.com"]})
}

#[tokio::test]
async fn token_determines_identity() {
    let served = Served::start(HttpOptions::default().authenticate(tokens())).await;

    for (token, subject) in [("first-token", "ci"), ("second-token", "app")] {
        let request = served.current("tools/call", json!({"name": "who", "arguments": {}}));
        let response: Value = request
            .bearer_auth(token)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();

        assert_eq!(response["result"]["content"][0]["text"], subject);
    }
    served.end().await;
}

#[tokio::test]
async fn missing_and_invalid_tokens_are_challenged() {
    let options = HttpOptions::default()
        .authenticate(tokens())
        .resource_metadata(metadata());
    let served = Served::start(options).await;
    let url =
        "resource_metadata=\"https://mcp.example.com/.well-known/oauth-protected-resource/mcp\"";

    let missing = served
        .current("tools/list", json!({}))
        .send()
        .await
        .unwrap();
    let invalid = served
        .current("tools/list", json!({}))
        .bearer_auth("third-token")
        .send()
        .await
        .unwrap();

    assert_eq!(
        (missing.status().as_u16(), invalid.status().as_u16()),
        (401, 401)
    );
    assert_eq!(
        missing.headers()["www-authenticate"],
        format!("Bearer {url}")
    );
    assert_eq!(
        invalid.headers()["www-authenticate"],
        format!("Bearer error=\"invalid_token\", {url}")
    );
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        let document: Value = served
            .client
            .get(served.url(path))
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        assert_eq!(document["resource"], "https://mcp.example.com/mcp");
        assert_eq!(
            document["authorization_servers"],
            json!(["https://login.example.com"])
        );
    }
    served.end().await;
}

struct Scoped;

#[async_trait]
impl Authenticate for Scoped {
    async fn authenticate(
        &self,
        request: &http::request::Parts,
    ) -> Result<ClientIdentity, AuthenticationError> {
        match request
            .headers
            .get("x-user")
            .and_then(|user| user.to_str().ok())
        {
            Some("down") => Err(AuthenticationError::Unavailable("no route".into())),
            Some("guest") => Err(AuthenticationError::InsufficientScope {
                scope: "tools".to_owned(),
            }),
            Some(user) => Ok(ClientIdentity::new(user)),
            None => Err(AuthenticationError::Missing),
        }
    }
}

#[tokio::test]
async fn authentication_of_host_decides() {
    let served = Served::start(HttpOptions::default().authenticate(Scoped)).await;

    for (user, status, challenge) in [
        ("mary", 200, None),
        (
            "guest",
            403,
            Some("Bearer error=\"insufficient_scope\", scope=\"tools\""),
        ),
        ("down", 503, None),
    ] {
        let request = served
            .current("tools/list", json!({}))
            .header("x-user", user);

        let response = request.send().await.unwrap();

        assert_eq!(response.status(), status, "{user}");
        let given = response.headers().get("www-authenticate");
        assert_eq!(
            given.map(|value| value.to_str().unwrap()),
            challenge,
            "{user}"
        );
    }
    served.end().await;
}

#[tokio::test]
async fn session_belongs_to_its_client() {
    let options = HttpOptions::default().authenticate(tokens()).sessions(true);
    let served = Served::start(options).await;
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let initialized = served
        .old("initialize", &params)
        .bearer_auth("first-token")
        .send()
        .await
        .unwrap();
    let session = initialized.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    drop(initialized);
    let list = |token: &str| {
        let request = served
            .old("tools/list", &json!({}))
            .header("mcp-session-id", &session);
        request.bearer_auth(token).send()
    };

    let foreign = list("second-token").await.unwrap();
    assert_eq!(foreign.status(), 404);
    let text = foreign.text().await.unwrap();
    assert!(text.starts_with("the session is unknown"), "{text}");
    assert_ne!(list("first-token").await.unwrap().status(), 404);
    served.end().await;
}
