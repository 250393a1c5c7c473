//! Tokens of remote servers.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use rmcp::transport::AuthClient;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession, CredentialStore,
    StoredCredentials, WWWAuthenticateParams,
};
use tool_core::{Redactor, Secret};
use url::Url;

use crate::client::{CredentialStore as HostStore, Login, LoginError};
use crate::config::OAuthConfig;
use crate::{hygiene, locked};

/// Maximum length of a reason in characters.
const MAX_REASON: usize = 500;

/// Challenge of the last rejected request.
pub(super) type Challenge = Arc<Mutex<Option<String>>>;

/// Credentials of one server.
pub(crate) struct Tokens {
    server: String,
    url: Url,
    login: Login,
    store: Store,
    shared: Arc<tokio::sync::Mutex<AuthorizationManager>>,
    challenge: Challenge,
}

impl Tokens {
    /// Loads the credentials of a server.
    pub(crate) async fn load(
        server: &str,
        url: &Url,
        login: &Login,
        redactor: Option<Redactor>,
    ) -> Result<Self, LoginError> {
        let rejected = |error: AuthError| rejected(server, &error);
        let store = Store {
            server: server.to_owned(),
            host: login.store.clone(),
            memory: Arc::default(),
            redactor,
        };
        let manager = manager(url, store.clone()).await.map_err(rejected)?;
        Ok(Self {
            server: server.to_owned(),
            url: url.clone(),
            login: login.clone(),
            store,
            shared: Arc::new(tokio::sync::Mutex::new(manager)),
            challenge: Challenge::default(),
        })
    }

    /// Returns a client that adds the token to the requests of `http`.
    pub(super) async fn authorized<C>(&self, http: C) -> Result<AuthClient<C>, AuthError> {
        let mut client = AuthClient::new(http, AuthorizationManager::new(self.url.clone()).await?);
        client.auth_manager = Arc::clone(&self.shared);
        Ok(client)
    }

    pub(super) fn challenge(&self) -> Challenge {
        Arc::clone(&self.challenge)
    }

    /// Logs in with the browser of the user.
    pub(crate) async fn log_in(&self, oauth: &OAuthConfig) -> Result<(), LoginError> {
        let rejected = |error: AuthError| rejected(&self.server, &error);
        let challenge = locked(&self.challenge).clone();
        // A login may take minutes. Calls use a fresh manager in the meantime, instead of waiting for the lock.
        let fresh = manager(&self.url, self.store.clone()).await;
        let fresh = fresh.map_err(rejected)?;
        let manager = std::mem::replace(&mut *self.shared.lock().await, fresh);
        let session = self.session(manager, challenge, oauth).await;
        let session = session.map_err(rejected)?;
        self.complete(&session).await?;
        *self.shared.lock().await = session.auth_manager;
        Ok(())
    }

    async fn session(
        &self,
        mut manager: AuthorizationManager,
        challenge: Option<String>,
        oauth: &OAuthConfig,
    ) -> Result<AuthorizationSession, AuthError> {
        let redirect = self.login.prompt.redirect_uri();
        let params = challenge
            .as_deref()
            .map(|challenge| WWWAuthenticateParams::parse(challenge, &self.url))
            .unwrap_or_default();
        if params.is_insufficient_scope() && manager.get_access_token().await.is_ok() {
            let scope = params.scope.unwrap_or_default();
            let url = manager.request_scope_upgrade(&scope).await?;
            return Ok(AuthorizationSession::for_scope_upgrade(
                manager, url, &redirect,
            ));
        }
        let resolved = manager.resolve_metadata_from_challenge(challenge.as_deref());
        let metadata = resolved.await?.metadata;
        manager.set_metadata(metadata);
        let request = self.request(redirect, oauth);
        let session = AuthorizationSession::new(manager, request).await;
        session.map_err(|(_, error)| error)
    }

    fn request(&self, redirect: String, oauth: &OAuthConfig) -> AuthorizationRequest {
        let mut request = AuthorizationRequest::new(redirect)
            .with_scopes(oauth.scopes.iter().cloned())
            .with_initial_scope_selection()
            .with_client_name(self.login.client_name.clone());
        if let Some(url) = &self.login.client_metadata_url {
            request = request.with_client_metadata_url(url.clone());
        }
        if let Some(id) = &oauth.client_id {
            request = request.with_preregistered_client(id.clone());
            if let Some(secret) = &oauth.client_secret {
                request = request.with_client_secret(secret.expose().clone());
            }
        }
        request
    }

    async fn complete(&self, session: &AuthorizationSession) -> Result<(), LoginError> {
        let url = session.get_authorization_url();
        let redirected = self.login.prompt.authorize(&self.server, url).await;
        let redirected = redirected.map_err(|reason| LoginError::Prompt {
            server: self.server.clone(),
            reason,
        })?;
        let exchanged = session.handle_callback_url(&redirected).await;
        exchanged.map_err(|error| rejected(&self.server, &error))?;
        Ok(())
    }
}

/// Creates a manager with the stored credentials.
async fn manager(url: &Url, store: Store) -> Result<AuthorizationManager, AuthError> {
    let mut manager = AuthorizationManager::new(url.clone()).await?;
    manager.set_credential_store(store);
    if let Err(error) = manager.initialize_from_store().await {
        tracing::warn!(%error, "stored credentials are not used");
    }
    Ok(manager)
}

fn rejected(server: &str, error: &AuthError) -> LoginError {
    LoginError::Rejected {
        server: server.to_owned(),
        reason: hygiene::clean(&error.to_string(), MAX_REASON).text,
    }
}

/// Store of the host for one server.
#[derive(Clone)]
struct Store {
    server: String,
    host: Option<Arc<dyn HostStore>>,
    /// Credentials if the host has no store.
    memory: Arc<Mutex<Option<Secret<String>>>>,
    redactor: Option<Redactor>,
}

#[async_trait]
impl CredentialStore for Store {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let loaded = match &self.host {
            Some(host) => host.load(&self.server).await,
            None => Ok(locked(&self.memory).clone()),
        };
        let Some(text) = loaded.map_err(AuthError::CredentialStoreError)? else {
            return Ok(None);
        };
        let credentials = serde_json::from_str(text.expose()).map_err(|_| {
            AuthError::CredentialStoreError("the credentials are invalid".to_owned())
        })?;
        self.teach(&credentials);
        Ok(Some(credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let failed = AuthError::CredentialStoreError;
        let text =
            serde_json::to_string(&credentials).map_err(|error| failed(error.to_string()))?;
        self.teach(&credentials);
        let Some(host) = &self.host else {
            *locked(&self.memory) = Some(Secret::new(text));
            return Ok(());
        };
        let saved = host.save(&self.server, Secret::new(text)).await;
        saved.map_err(failed)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        *locked(&self.memory) = None;
        let Some(host) = &self.host else {
            return Ok(());
        };
        let cleared = host.clear(&self.server).await;
        cleared.map_err(AuthError::CredentialStoreError)
    }
}

impl Store {
    /// Adds the tokens to the redactor of the registry.
    fn teach(&self, credentials: &StoredCredentials) {
        let tokens = serde_json::to_value(&credentials.token_response).unwrap_or_default();
        for name in ["access_token", "refresh_token"] {
            if let Some(redactor) = &self.redactor
                && let Some(token) = tokens.get(name).and_then(serde_json::Value::as_str)
            {
                // Short values would match ordinary text.
                let _ = redactor.learn(&token.to_owned().into());
            }
        }
    }
}
