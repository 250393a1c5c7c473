//! Logins at remote servers with OAuth.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tool_core::Secret;

/// Time for the user to log in.
const LOGIN_LIMIT: Duration = Duration::from_mins(5);

/// Time limit and maximum size in bytes of one request of the browser.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
const MAX_REQUEST: u64 = 16 * 1024;

const PATH: &str = "/callback";
const DONE: &str = "<!DOCTYPE html><title>Login</title><p>You can close this page.";

/// Way to the browser of a user, for programs that can't use [`Login::loopback`].
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
    /// Returns the address to which the authorization server sends the browser back.
    fn redirect_uri(&self) -> String;

    /// Shows the login page of `server` at `url`, and returns the complete address to which the browser came back.
    ///
    /// # Errors
    /// Returns the reason if the user does not log in.
    async fn authorize(&self, server: &str, url: &str) -> Result<String, String>;
}

/// Place where the tokens of logins are kept.
///
/// The credentials of a server are a JSON text with its tokens, so keep them where only the user can read them, for
/// example in the keychain of the system. Calls may overlap.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tool_core::Secret;
/// use tool_mcp::client::CredentialStore;
///
/// /// Keeps each login in a file, for a service whose directory is only readable by its own user.
/// struct Files;
///
/// #[async_trait]
/// impl CredentialStore for Files {
///     async fn load(&self, server: &str) -> Result<Option<Secret<String>>, String> {
///         Ok(std::fs::read_to_string(format!("{server}.json")).ok().map(Secret::new))
///     }
///
///     async fn save(&self, server: &str, credentials: Secret<String>) -> Result<(), String> {
///         std::fs::write(format!("{server}.json"), credentials.expose()).map_err(|error| error.to_string())
///     }
///
///     async fn clear(&self, server: &str) -> Result<(), String> {
///         std::fs::remove_file(format!("{server}.json")).map_err(|error| error.to_string())
///     }
/// }
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

/// How users log in at remote servers with OAuth.
///
/// Tokens are refreshed automatically; the browser is needed only for [`McpManager::login`](crate::McpManager::login).
/// The authorization server knows this program by the client id in the configuration of the server. Without one, we
/// send the address of its metadata document, or else register a new client.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// use tool_mcp::McpManager;
/// use tool_mcp::client::Login;
///
/// let login = Login::loopback(|server, url| println!("To log in to {server}, open {url}")).await?;
/// let manager = McpManager::builder().login(login.with_client_name("editor")).build();
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use]
pub struct Login {
    pub(crate) prompt: Arc<dyn LoginPrompt>,
    /// Without a store, credentials are kept in memory.
    pub(crate) store: Option<Arc<dyn CredentialStore>>,
    pub(crate) client_name: String,
    pub(crate) client_metadata_url: Option<String>,
}

impl Login {
    /// Creates settings for a program with a browser on the same machine, with a store in memory. `open` receives the
    /// name of the server and the address of the login page, and should open it in the browser. The redirect is
    /// received at a port of the loopback interface, within 5 minutes; one login at a time is possible.
    ///
    /// # Errors
    /// Returns an error if no port of the loopback interface is available.
    pub async fn loopback(open: impl Fn(&str, &str) + Send + Sync + 'static) -> io::Result<Self> {
        Ok(Self::new(Loopback::bind(Box::new(open)).await?))
    }

    /// Creates settings with your own prompt, for example of a web application, and a store in memory.
    pub fn new(prompt: impl LoginPrompt + 'static) -> Self {
        Self {
            prompt: Arc::new(prompt),
            store: None,
            client_name: "toolwright".to_owned(),
            client_metadata_url: None,
        }
    }

    /// Sets where tokens are kept. Without it, users log in again after each start of the program.
    pub fn with_store(mut self, store: impl CredentialStore + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Sets the name that authorization servers show. The default is `toolwright`.
    pub fn with_client_name(mut self, name: impl Into<String>) -> Self {
        self.client_name = name.into();
        self
    }

    /// Sets the address of the client's metadata document, which identifies the client without a
    /// registration. It must use `https`.
    pub fn with_client_metadata_url(mut self, url: impl Into<String>) -> Self {
        self.client_metadata_url = Some(url.into());
        self
    }
}

tool_core::debug_fields!(Login);

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

type Open = dyn Fn(&str, &str) + Send + Sync;

/// Prompt that receives the redirect of the browser at a port of the loopback interface.
struct Loopback {
    listener: tokio::sync::Mutex<TcpListener>,
    port: u16,
    open: Box<Open>,
}

impl Loopback {
    async fn bind(open: Box<Open>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        Ok(Self {
            port: listener.local_addr()?.port(),
            listener: tokio::sync::Mutex::new(listener),
            open,
        })
    }

    /// Waits for the browser to request the redirect address. Other requests are rejected.
    async fn redirected(&self, listener: &TcpListener) -> io::Result<String> {
        loop {
            let (mut stream, _) = listener.accept().await?;
            // Browsers also ask for an icon, and open connections that they do not use.
            let Ok(Some(target)) = timeout(REQUEST_LIMIT, target(&mut stream)).await else {
                continue;
            };
            let is_redirect = target
                .strip_prefix(PATH)
                .is_some_and(|rest| rest.starts_with('?'));
            // The browser may have closed the connection.
            let _ = timeout(REQUEST_LIMIT, respond(&mut stream, is_redirect)).await;
            if is_redirect {
                return Ok(format!("http://127.0.0.1:{}{target}", self.port));
            }
        }
    }
}

/// Reads a request, and returns its path and query.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut head = BufReader::new(stream.take(MAX_REQUEST)).lines();
    let request = head.next_line().await.ok()??;
    // A browser that cannot send the complete request would show an error instead of our page.
    while !head.next_line().await.ok()??.is_empty() {}
    let rest = request.strip_prefix("GET ")?;
    rest.split(' ').next().map(str::to_owned)
}

async fn respond(stream: &mut TcpStream, is_redirect: bool) -> io::Result<()> {
    let (status, body) = if is_redirect {
        ("200 OK", DONE)
    } else {
        ("404 Not Found", "")
    };
    let response = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await
}

#[async_trait]
impl LoginPrompt for Loopback {
    fn redirect_uri(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    async fn authorize(&self, server: &str, url: &str) -> Result<String, String> {
        let listener = self.listener.lock().await;
        (self.open)(server, url);
        match timeout(LOGIN_LIMIT, self.redirected(&listener)).await {
            Ok(redirected) => redirected.map_err(|error| error.to_string()),
            Err(_) => Err(format!("no login within {} s", LOGIN_LIMIT.as_secs())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn get(port: u16, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        response
    }

    #[tokio::test]
    async fn redirect_is_received_after_other_requests() {
        let open = |server: &str, url: &str| assert_eq!((server, url), ("s", "https://login"));
        let prompt = Loopback::bind(Box::new(open)).await.unwrap();
        let port = prompt.port;
        let browser = async {
            let icon = get(port, "GET /favicon.ico HTTP/1.1\r\n\r\n").await;
            let other = get(port, "GET /callbacks?code=x HTTP/1.1\r\n\r\n").await;
            let posted = get(port, "POST /callback?code=x HTTP/1.1\r\n\r\n").await;
            let done = get(
                port,
                "GET /callback?code=c&state=s HTTP/1.1\r\nHost: x\r\n\r\n",
            )
            .await;
            (icon, other, posted, done)
        };

        let (redirected, pages) = tokio::join!(prompt.authorize("s", "https://login"), browser);

        assert_eq!(
            redirected,
            Ok(format!("{}?code=c&state=s", prompt.redirect_uri()))
        );
        assert!(pages.0.starts_with("HTTP/1.1 404") && pages.1.starts_with("HTTP/1.1 404"));
        assert_eq!(pages.2, "");
        assert!(pages.3.starts_with("HTTP/1.1 200") && pages.3.ends_with(DONE));
    }
}
