//! Logins.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tool_core::approval::Policy;
use tool_core::{Redactor, Registry, Secret};
use tool_mcp::McpManager;
use tool_mcp::client::{CredentialStore, Login, LoginError, LoginPrompt, ServerState};

use crate::http_client::faults::Faults;

/// User who consents if `consents`.
struct Browser {
    consents: bool,
}

#[async_trait]
impl LoginPrompt for Browser {
    fn redirect_uri(&self) -> String {
        "http://localhost/done".to_owned()
    }

    async fn authorize(&self, server: &str, url: &str) -> Result<String, String> {
        assert_eq!(server, "s");
        if !self.consents {
            return Err("the user closed the browser".to_owned());
        }
        let state = url.split("state=").nth(1).unwrap();
        let state = state.split('&').next().unwrap();
        Ok(format!("http://localhost/done?code=c&state={state}"))
    }
}

#[derive(Clone, Default)]
struct Store(Arc<Mutex<Option<Secret<String>>>>);

#[async_trait]
impl CredentialStore for Store {
    async fn load(&self, _: &str) -> Result<Option<Secret<String>>, String> {
        Ok(self.0.lock().unwrap().clone())
    }

    async fn save(&self, _: &str, credentials: Secret<String>) -> Result<(), String> {
        *self.0.lock().unwrap() = Some(credentials);
        Ok(())
    }

    async fn clear(&self, _: &str) -> Result<(), String> {
        *self.0.lock().unwrap() = None;
        Ok(())
    }
}

fn manager(server: &Faults, registry: &Registry, login: Option<Login>) -> McpManager {
    let mut builder = McpManager::builder()
        .server("s", server.config())
        .registry(registry);
    if let Some(login) = login {
        builder = builder.login(login);
    }
    builder.build()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn login_connects_server_and_is_kept() {
    let server = Faults::start("oauth").await;
    let (store, redactor) = (Store::default(), Redactor::new());
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .redactor(redactor.clone())
        .build();
    let login = Login::new(Browser { consents: true }).with_store(store.clone());
    let first = manager(&server, &registry, Some(login.clone()));

    let report = first.connect().await.remove(0);
    assert_eq!(report.state, ServerState::NeedsLogin);
    let report = first.login("s").await.unwrap();

    assert_eq!((report.state, report.error), (ServerState::Ready, None));
    let result = registry.execute("s__echo", json!({"text": "hi"})).await;
    assert_eq!(result.text(), "hi");
    assert_eq!(redactor.scrub("access-token-1"), "[redacted]");
    first.shutdown(Duration::ZERO).await;

    let second = manager(&server, &registry, Some(login));
    let report = second.connect().await.remove(0);
    assert_eq!((report.state, report.error), (ServerState::Ready, None));
    second.shutdown(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_logins_are_explained() {
    let server = Faults::start("oauth").await;
    let registry = Registry::new();
    let closed = manager(
        &server,
        &registry,
        Some(Login::new(Browser { consents: false })),
    );
    closed.connect().await;

    let error = closed.login("s").await.unwrap_err();

    assert_eq!(
        error.to_string(),
        "server \"s\": the login was not completed: the user closed the browser"
    );
    assert!(matches!(
        closed.login("t").await,
        Err(LoginError::NoServer { .. })
    ));
    assert_eq!(closed.status()[0].state, ServerState::NeedsLogin);
    closed.shutdown(Duration::ZERO).await;
    let without = manager(&server, &registry, None);
    assert!(matches!(
        without.login("s").await,
        Err(LoginError::NotConfigured)
    ));

    server.set_mode("401");
    let consents = manager(
        &server,
        &registry,
        Some(Login::new(Browser { consents: true })),
    );
    consents.connect().await;
    let error = consents.login("s").await.unwrap_err();
    assert!(matches!(error, LoginError::Rejected { .. }), "{error}");
    consents.shutdown(Duration::ZERO).await;
}
