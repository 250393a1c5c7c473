//! Server with scripted bytes and timing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Next action of the server on a connection.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Send(Vec<u8>),
    Pause(Duration),
    /// Sends these bytes repeatedly, with a pause after each.
    Repeat(Vec<u8>, Duration),
    /// Keeps the connection open until the client closes it.
    Hold,
    /// Resets the connection.
    Reset,
}

/// Server that plays the next script on each connection; the last script repeats.
pub(super) struct Server {
    pub(super) origin: String,
    requests: Arc<Mutex<Vec<String>>>,
    served: Arc<AtomicUsize>,
    was_left: Arc<AtomicBool>,
}

impl Server {
    pub(super) async fn start(scripts: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            origin: format!("http://{}", listener.local_addr().unwrap()),
            requests: Arc::default(),
            served: Arc::default(),
            was_left: Arc::default(),
        };
        let (requests, count) = (Arc::clone(&server.requests), Arc::clone(&server.served));
        let was_left = Arc::clone(&server.was_left);
        tokio::spawn(async move {
            loop {
                let Ok((mut connection, _)) = listener.accept().await else {
                    return;
                };
                let at = count.fetch_add(1, Ordering::SeqCst).min(scripts.len() - 1);
                let (script, was_left) = (scripts[at].clone(), Arc::clone(&was_left));
                let requests = Arc::clone(&requests);
                tokio::spawn(async move {
                    let request = request(&mut connection).await;
                    requests.lock().unwrap().push(request);
                    let left = play(connection, script).await.is_none();
                    was_left.fetch_or(left, Ordering::SeqCst);
                });
            }
        });
        server
    }

    /// Starts a server that sends `body` as a stream in chunks of `piece` bytes.
    pub(super) async fn streaming(kind: &str, body: &str, piece: usize) -> Self {
        let mut script = vec![head(kind)];
        script.extend(body.as_bytes().chunks(piece).map(chunk));
        script.push(end());
        Self::start(vec![script]).await
    }

    /// Returns the number of connections.
    pub(super) fn served(&self) -> usize {
        self.served.load(Ordering::SeqCst)
    }

    /// Returns all requests, including their heads.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits up to two seconds for a client to disconnect early.
    pub(super) async fn client_disconnects(&self) -> bool {
        for _ in 0..200 {
            if self.was_left.load(Ordering::SeqCst) {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    }
}

/// Head of a chunked response.
pub(super) fn head(kind: &str) -> Step {
    Step::Send(
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
        )
        .into_bytes(),
    )
}

/// Complete response without a body.
pub(super) fn status(line: &str) -> Vec<Step> {
    let text = format!("HTTP/1.1 {line}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    vec![Step::Send(text.into_bytes())]
}

pub(super) fn chunk(bytes: &[u8]) -> Step {
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    Step::Send(framed)
}

pub(super) fn end() -> Step {
    Step::Send(b"0\r\n\r\n".to_vec())
}

/// Reads one request, head and body.
async fn request(connection: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or_default() {
                return text;
            }
        }
        match connection.read(&mut buffer).await {
            Ok(0) | Err(_) => return text,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Plays a script; `None` if the client disconnects early.
async fn play(mut connection: TcpStream, script: Vec<Step>) -> Option<()> {
    connection.set_nodelay(true).unwrap();
    for step in script {
        match step {
            Step::Send(bytes) => connection.write_all(&bytes).await.ok()?,
            Step::Pause(time) => tokio::time::sleep(time).await,
            Step::Repeat(bytes, pause) => loop {
                connection.write_all(&bytes).await.ok()?;
                tokio::time::sleep(pause).await;
            },
            Step::Hold => {
                let mut rest = [0; 64];
                while connection.read(&mut rest).await.ok()? > 0 {}
                return None;
            }
            Step::Reset => {
                connection.set_zero_linger().unwrap();
                return Some(());
            }
        }
    }
    connection.shutdown().await.ok()
}
