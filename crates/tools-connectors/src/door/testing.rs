//! Test servers on loopback.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Received request.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) method: String,
    /// Path with the query.
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Received {
    /// Returns the value of a query parameter.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        let url = url::Url::parse(&format!("http://x{}", self.path)).unwrap();
        let found = url.query_pairs().find(|(key, _)| key == name);
        found.map(|(_, value)| value.into_owned())
    }

    /// Returns the path without the query.
    pub(crate) fn route(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// Returns a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }

    /// Returns the body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Response of a test server.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Bytes to send before the connection is closed.
    Raw(Vec<u8>),
    /// Closes the connection after the request.
    Close,
    /// Sends nothing for 10 seconds.
    Silence,
    /// Sends one byte after the other, slowly, for 10 seconds.
    Drip(Vec<u8>),
}

impl Reply {
    pub(crate) fn status(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let head = format!(
            "HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        Self::Raw([head.as_bytes(), body].concat())
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::status(200, "Content-Type: application/json\r\n", body.to_string())
    }

    pub(crate) fn error(status: u16, body: &Value) -> Self {
        Self::status(
            status,
            "Content-Type: application/json\r\n",
            body.to_string(),
        )
    }
}

/// Server that records requests. It stops when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    /// Passes each request to `reply`, with the number of earlier requests.
    pub(crate) async fn start(
        reply: impl Fn(&Received, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let (seen, reply) = (Arc::clone(&received), Arc::new(reply));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, reply) = (Arc::clone(&seen), Arc::clone(&reply));
                tokio::spawn(serve(stream, seen, reply));
            }
        });
        Self {
            address,
            received,
            task,
        }
    }

    /// Sends the replies in order, and the last one again.
    pub(crate) async fn replies(replies: impl Into<Vec<Reply>>) -> Self {
        let replies = replies.into();
        Self::start(move |_, count| replies[count.min(replies.len() - 1)].clone()).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    seen: Arc<Mutex<Vec<Received>>>,
    reply: Arc<impl Fn(&Received, usize) -> Reply>,
) {
    let Some(request) = receive(&mut stream).await else {
        return;
    };
    let reply = {
        let mut seen = seen.lock().unwrap();
        let reply = reply(&request, seen.len());
        seen.push(request);
        reply
    };
    match reply {
        Reply::Raw(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Reply::Close => {}
        Reply::Silence => tokio::time::sleep(Duration::from_secs(10)).await,
        Reply::Drip(bytes) => {
            for byte in bytes.iter().cycle().take(200) {
                if stream.write_all(&[*byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn receive(stream: &mut TcpStream) -> Option<Received> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (key, value) = line.split_once(':')?;
                key.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().unwrap())
            });
            if bytes.len() >= end + 4 + length.unwrap_or(0) {
                let mut words = head.split(' ');
                return Some(Received {
                    method: words.next()?.to_owned(),
                    path: words.next()?.to_owned(),
                    body: bytes[end + 4..].to_vec(),
                    head,
                });
            }
        }
        match stream.read(&mut buffer).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&buffer[..read]),
            _ => return None,
        }
    }
}
