//! Server on loopback.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

/// Response: a head of JSON, a chunk that is repeated, and a tail.
pub(crate) type Reply = (String, Arc<Vec<u8>>, usize, String);

pub(crate) fn reply(body: &Value) -> Reply {
    (body.to_string(), Arc::default(), 0, String::new())
}

/// Server on its own thread, which closes each connection after its response.
pub(crate) struct Server {
    pub(crate) address: String,
    requests: Arc<AtomicUsize>,
}

impl Server {
    pub(crate) fn start(serve: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let _ = answer(stream.unwrap(), &count, &serve);
            }
        });
        Self { address, requests }
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.swap(0, Ordering::SeqCst)
    }
}

fn answer(
    mut stream: TcpStream,
    count: &AtomicUsize,
    serve: &dyn Fn(&str) -> Reply,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            break end + 4;
        }
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            read => bytes.extend_from_slice(&buffer[..read]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().unwrap())
    });
    let mut missing = length.unwrap_or(0).saturating_sub(bytes.len() - end);
    while missing > 0 {
        missing = missing.saturating_sub(stream.read(&mut buffer)?);
    }
    count.fetch_add(1, Ordering::SeqCst);
    let path = head.split(' ').nth(1).unwrap_or_default();
    let (first, chunk, times, last) = serve(path);
    let length = first.len() + chunk.len() * times + last.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{first}"
    )?;
    for _ in 0..times {
        stream.write_all(&chunk)?;
    }
    stream.write_all(last.as_bytes())
}
