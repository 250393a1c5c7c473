//! Listener for the redirect at the end of a sign-in.

use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// Maximum size of a request head in bytes.
const MAX_HEAD: usize = 8 * 1024;
/// Time for a request head.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// Number of requests with a wrong state that end the sign-in.
const MAX_WRONG: usize = 5;
/// Issuer of Google's redirects.
const ISSUER: &str = "https://accounts.google.com";

/// Text of the page at the end. The application knows whether the sign-in succeeds.
const RETURN: &str = "You can close this page and return to the application.";

/// Socket on 127.0.0.1.
pub(super) struct Loopback {
    listener: TcpListener,
    port: u16,
}

/// End of a sign-in in the browser: the code, or nothing if the user declined.
pub(super) type Redirect = Option<String>;

/// Reading of an address.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    End(Redirect),
    /// The state is missing or belongs to another sign-in.
    WrongState,
    /// Something else, such as an icon.
    Other,
}

impl Loopback {
    /// Binds a port; 0 lets the system choose one.
    pub(super) async fn bind(port: u16) -> std::io::Result<Self> {
        // Never a name or 0.0.0.0: others in the network could then finish the sign-in with their own code.
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Waits for the redirect with this state. Other requests are rejected.
    pub(super) async fn wait(self, state: &str) -> Option<Redirect> {
        let mut wrong = 0;
        // A wrong state does not end the sign-in, because any local program could send one.
        while wrong < MAX_WRONG {
            let (mut stream, _) = self.listener.accept().await.ok()?;
            let head = tokio::time::timeout(HEAD_TIME, head(&mut stream)).await;
            let Ok(Some(head)) = head else { continue };
            match self.read(&head, state) {
                Reading::End(redirect) => {
                    drop(self.listener);
                    respond(&mut stream, "200 OK", RETURN).await;
                    return Some(redirect);
                }
                Reading::WrongState => {
                    wrong += 1;
                    respond(
                        &mut stream,
                        "400 Bad Request",
                        "The sign-in failed. Please try again.",
                    )
                    .await;
                }
                Reading::Other => respond(&mut stream, "404 Not Found", "Not found.").await,
            }
        }
        None
    }

    fn read(&self, head: &str, state: &str) -> Reading {
        let mut lines = head.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (method, target) = (first.next(), first.next().unwrap_or_default());
        let host = lines.find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("host").then_some(value.trim())
        });
        let own = format!("127.0.0.1:{}", self.port);
        // A website can make the browser reach this port under another name, but not with this `Host`.
        if method != Some("GET") || host != Some(own.as_str()) || !target.starts_with('/') {
            return Reading::Other;
        }
        read_address(&format!("http://{own}{target}"), state)
    }
}

/// Reads the address that the browser was redirected to.
pub(super) fn read_address(address: &str, state: &str) -> Reading {
    let Ok(url) = Url::parse(address.trim()) else {
        return Reading::Other;
    };
    if url.path() != "/" || address.len() > MAX_HEAD {
        return Reading::Other;
    }
    let value = |name: &str| {
        let found = url.query_pairs().find(|(key, _)| key == name);
        found.map(|(_, value)| value.into_owned())
    };
    if url.query().is_none() {
        return Reading::Other;
    }
    let is_foreign = value("iss").is_some_and(|issuer| issuer != ISSUER);
    if value("state").as_deref() != Some(state) || is_foreign {
        return Reading::WrongState;
    }
    match (value("error"), value("code")) {
        (Some(_), _) => Reading::End(None),
        (None, Some(code)) if !code.is_empty() => Reading::End(Some(code)),
        _ => Reading::WrongState,
    }
}

async fn head(stream: &mut TcpStream) -> Option<String> {
    let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream
            .read(&mut buffer)
            .await
            .ok()
            .filter(|read| *read > 0)?;
        head.extend_from_slice(buffer.get(..read)?);
        if head.len() > MAX_HEAD {
            return None;
        }
    }
    String::from_utf8(head).ok()
}

/// Sends a page that repeats nothing of the request.
async fn respond(stream: &mut TcpStream, status: &str, text: &str) {
    let page =
        format!("<!DOCTYPE html><html lang=\"en\"><title>Sign-in</title><p>{text}</p></html>");
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    let send = async {
        stream.write_all(response.as_bytes()).await?;
        stream.shutdown().await
    };
    // The page is only information for the user.
    let _ = tokio::time::timeout(HEAD_TIME, send).await;
}
