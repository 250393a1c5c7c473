//! Logins at remote servers with OAuth.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tool_core::Secret;

/// User of the host who logs in with a browser.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tool_mcp::client::LoginPrompt;
///
/// struct Terminal;
///
/// #[async_trait]
/// impl LoginPrompt for Terminal {
///     fn redirect_uri(&self) -> String {
///         "http://127.0.0.1:8976/callback".to_owned()
///     }
///
///     async fn authorize(&self, server: &str, url: &str) -> Result<String, String> {
///         println!("To log in to {server}, open {url}");
///         Err("no browser".to_owned())
///     }
/// }
/// ```
#[async_trait]
pub trait LoginPrompt: Send + Sync {
    /// Returns the address to which the authorization server redirects the browser.
    fn redirect_uri(&self) -> String;

    /// Shows the login page of `server` at `url`, and returns the complete address to which the
    /// browser was redirected.
    ///
    /// # Errors
    /// Returns the reason if the user does not log in.
    async fn authorize(&self, server: &str, url: &str) -> Result<String, String>;
}

/// Store for the credentials of servers.
///
/// Credentials are JSON with tokens. Implementations must keep them confidential, for example in the
/// keychain of the system. They may be called concurrently.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), String> {
/// use tool_mcp::client::{CredentialStore, MemoryCredentials};
///
/// let store = MemoryCredentials::default();
/// store.save("search", "{}".to_owned().into()).await?;
/// assert!(store.load("search").await?.is_some());
/// # Ok(()) }
/// ```
#[async_trait]
pub trait CredentialStore: Send + Sync {
    /// Returns the credentials of a server.
    ///
    /// # Errors
    /// Returns the reason if the store fails.
    async fn load(&self, server: &str) -> Result<Option<Secret<String>>, String>;

    /// Replaces the credentials of a server.
    ///
    /// # Errors
    /// Returns the reason if the store fails.
    async fn save(&self, server: &str, credentials: Secret<String>) -> Result<(), String>;

    /// Removes the credentials of a server.
    ///
    /// # Errors
    /// Returns the reason if the store fails.
    async fn clear(&self, server: &str) -> Result<(), String>;
}

/// Store in memory, which is empty after each start of the host.
///
/// # Examples
/// See [`CredentialStore`].
#[derive(Debug, Default)]
pub struct MemoryCredentials(Mutex<BTreeMap<String, Secret<String>>>);

#[async_trait]
impl CredentialStore for MemoryCredentials {
    async fn load(&self, server: &str) -> Result<Option<Secret<String>>, String> {
        let credentials = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(credentials.get(server).cloned())
    }

    async fn save(&self, server: &str, credentials: Secret<String>) -> Result<(), String> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(server.to_owned(), credentials);
        Ok(())
    }

    async fn clear(&self, server: &str) -> Result<(), String> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(server);
        Ok(())
    }
}

/// Settings of logins with OAuth.
///
/// The client of a server is the one of its configuration, else the metadata document, else a new
/// registration. Tokens are refreshed automatically; the browser is needed only for
/// [`McpManager::login`](crate::McpManager::login).
///
/// # Examples
/// ```
/// use tool_mcp::McpManager;
/// use tool_mcp::client::{Login, LoginPrompt};
///
/// fn manager(browser: impl LoginPrompt + 'static) -> McpManager {
///     McpManager::builder().login(Login::new(browser).with_client_name("editor")).build()
/// }
/// ```
#[derive(Clone)]
pub struct Login {
    pub(crate) prompt: Arc<dyn LoginPrompt>,
    pub(crate) store: Arc<dyn CredentialStore>,
    pub(crate) client_name: String,
    pub(crate) client_metadata_url: Option<String>,
}

impl Login {
    /// Creates settings with a store in memory.
    #[must_use]
    pub fn new(prompt: impl LoginPrompt + 'static) -> Self {
        Self {
            prompt: Arc::new(prompt),
            store: Arc::new(MemoryCredentials::default()),
            client_name: "toolwright".to_owned(),
            client_metadata_url: None,
        }
    }

    /// Sets the store for credentials.
    #[must_use]
    pub fn with_store(mut self, store: impl CredentialStore + 'static) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Sets the name that authorization servers show. The default is `toolwright`.
    #[must_use]
    pub fn with_client_name(mut self, name: impl Into<String>) -> Self {
        self.client_name = name.into();
        self
    }

    /// Sets the address of the client's metadata document, which identifies the client without a
    /// registration. It must use `https`.
    #[must_use]
    pub fn with_client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.client_metadata_url = Some(url.into());
        self
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("client_name", &self.client_name)
            .field("client_metadata_url", &self.client_metadata_url)
            .finish_non_exhaustive()
    }
}

/// Reason for a failed login.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use tool_mcp::McpManager;
///
/// let error = McpManager::builder().build().login("search").await.unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "no remote server \"search\" can be logged in to; check its configuration"
/// );
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// No remote server has this name, or its configuration is invalid.
    #[error("no remote server \"{server}\" can be logged in to; check its configuration")]
    NoServer {
        /// Name of the server.
        server: String,
    },
    /// The manager has no [`Login`].
    #[error("logins are not configured; use `McpManagerBuilder::login`")]
    NotConfigured,
    /// The user did not log in.
    #[error("server \"{server}\": the login was not completed: {reason}")]
    Prompt {
        /// Name of the server.
        server: String,
        /// Reason of the prompt.
        reason: String,
    },
    /// The authorization server rejected the login, or its metadata is invalid.
    #[error("server \"{server}\": the login failed: {reason}")]
    Rejected {
        /// Name of the server.
        server: String,
        /// Reason of the authorization server.
        reason: String,
    },
}
