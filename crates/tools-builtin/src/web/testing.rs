//! Test servers on loopback, and fixed name resolution.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{AddressGuard, Resolver, WebFetch};

/// Server that sends raw bytes.
#[derive(Debug)]
pub(super) struct RawServer {
    pub(super) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl RawServer {
    /// Passes each connection to `serve`, with the head of its request.
    pub(super) async fn start<F: Future<Output = io::Result<()>> + Send + 'static>(
        serve: impl Fn(String, TcpStream) -> F + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let head = head(&mut stream).await;
                seen.lock().unwrap().push(head.clone());
                tokio::spawn(serve(head, stream));
            }
        });
        Self {
            address,
            requests,
            task,
        }
    }

    /// Sends bytes for each path and closes the connection.
    pub(super) async fn answering(answers: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        Self::start(move |head, mut stream| {
            let path = head.split(' ').nth(1).unwrap_or_default();
            let answer = answers(path);
            async move {
                stream.write_all(&answer).await?;
                stream.shutdown().await
            }
        })
        .await
    }

    /// Sends the same bytes for every request.
    pub(super) async fn always(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::answering(move |_| answer.clone()).await
    }

    /// Sends chunks with a pause after each.
    pub(super) async fn dripping(first: &'static str, piece: &'static str) -> Self {
        Self::start(move |_, mut stream| async move {
            stream.write_all(first.as_bytes()).await?;
            loop {
                stream.write_all(piece.as_bytes()).await?;
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the heads of the received requests.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for RawServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn head(stream: &mut TcpStream) -> String {
    let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
    while !head.ends_with(b"\r\n\r\n") {
        // Do not wait for the rest of a request that is not HTTP, such as a TLS handshake.
        match tokio::time::timeout(Duration::from_millis(500), stream.read(&mut buffer)).await {
            Ok(Ok(read)) if read > 0 => head.extend_from_slice(&buffer[..read]),
            _ => break,
        }
        if head.first() == Some(&0x16) {
            break;
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// Returns a complete response.
pub(super) fn response(content_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    with_headers(&format!("Content-Type: {content_type}\r\n"), body)
}

/// Like [`response`], but with additional headers, each with its line ending.
pub(super) fn with_headers(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// Returns a redirect.
pub(super) fn redirect(location: &str) -> Vec<u8> {
    let cookie = "Set-Cookie: session=secret\r\n";
    format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\n{cookie}Content-Length: 0\r\n\r\n")
        .into()
}

/// Resolver with a sequence of address lists per name. The last list is repeated.
#[derive(Debug, Default)]
pub(super) struct Names {
    answers: BTreeMap<&'static str, Vec<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl Names {
    pub(super) fn with(mut self, host: &'static str, answers: &[&[&str]]) -> Self {
        let parsed = answers.iter().map(|answer| {
            let addresses = answer.iter().map(|address| address.parse().unwrap());
            addresses.collect()
        });
        self.answers.insert(host, parsed.collect());
        self
    }
}

#[async_trait]
impl Resolver for Names {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if host == "broken.example.org" {
            return Err(io::Error::other("the server at 10.9.8.7 failed"));
        }
        let Some(answers) = self.answers.get(host) else {
            return Ok(Vec::new());
        };
        Ok(answers[asked.min(answers.len() - 1)].clone())
    }
}

/// Returns a guard that allows only loopback addresses in addition to public ones.
pub(super) fn local_guard() -> AddressGuard {
    AddressGuard::new().allow_range("127.0.0.1/32".parse().unwrap())
}

/// Returns a fetcher for servers on loopback that resolves no names.
pub(super) fn local_engine() -> WebFetch {
    WebFetch::new()
        .with_guard(local_guard())
        .with_resolver(Names::default())
}

/// Compresses the bytes with gzip.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;

    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
