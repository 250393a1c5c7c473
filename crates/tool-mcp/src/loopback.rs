//! Browser logins that end at a port of this machine.

use std::fmt;
use std::io;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::login::LoginPrompt;

/// Time for the user to log in.
const LOGIN_LIMIT: Duration = Duration::from_mins(5);

/// Time limit and maximum size in bytes of one request of the browser.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
const MAX_REQUEST: usize = 16 * 1024;

const PATH: &str = "/callback";
const DONE: &str = "<!DOCTYPE html><title>Login</title><p>You can close this page.";

type Open = dyn Fn(&str, &str) + Send + Sync;

/// Prompt that shows the login page with a function, and receives the redirect at a port of the
/// loopback interface.
///
/// The login must be completed within 5 minutes. One login at a time is possible.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// use tool_mcp::McpManager;
/// use tool_mcp::client::{Login, LoopbackPrompt};
///
/// let prompt = LoopbackPrompt::bind(|server, url| println!("To log in to {server}, open {url}")).await?;
/// let manager = McpManager::builder().login(Login::new(prompt)).build();
/// # Ok(()) }
/// ```
pub struct LoopbackPrompt {
    listener: Mutex<TcpListener>,
    port: u16,
    open: Box<Open>,
}

impl LoopbackPrompt {
    /// Opens a port. `open` receives the name of the server and the address of the login page.
    ///
    /// # Errors
    /// Returns an error if no port of the loopback interface is available.
    pub async fn bind(open: impl Fn(&str, &str) + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        Ok(Self {
            port: listener.local_addr()?.port(),
            listener: Mutex::new(listener),
            open: Box::new(open),
        })
    }

    /// Waits for the browser to request the redirect address. Other requests are rejected.
    async fn redirected(&self, listener: &TcpListener) -> io::Result<String> {
        loop {
            let (mut stream, _) = listener.accept().await?;
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
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == MAX_REQUEST {
            return None;
        }
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let rest = head.strip_prefix("GET ")?;
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
impl LoginPrompt for LoopbackPrompt {
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

impl fmt::Debug for LoopbackPrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LoopbackPrompt({})", self.port)
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
        let prompt = LoopbackPrompt::bind(|server, url| {
            assert_eq!((server, url), ("s", "https://login"));
        })
        .await
        .unwrap();
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
