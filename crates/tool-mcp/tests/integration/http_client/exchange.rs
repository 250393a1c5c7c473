//! Requests and responses of HTTP.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::sleep;

pub(crate) type Stream = BufReader<TcpStream>;

/// Whether the connection stays open.
pub(crate) type Stays = bool;

/// Received request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Headers with names in lowercase.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }
}

pub(crate) async fn respond(stream: &mut Stream, request: &Request, result: &Value) -> Stays {
    json_body(
        stream,
        &json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result}),
    )
    .await
}

pub(crate) async fn json_body(stream: &mut Stream, message: &Value) -> Stays {
    plain(stream, "200 OK", "application/json", &message.to_string()).await
}

pub(crate) async fn events(stream: &mut Stream, messages: &[Value]) -> Stays {
    let header = "content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n";
    if !headers(stream, "200 OK", header).await {
        return false;
    }
    for message in messages {
        if !event(stream, message).await {
            return false;
        }
        sleep(Duration::from_millis(120)).await;
    }
    write(stream, "0\r\n\r\n").await
}

/// Sends a message in an event stream.
pub(crate) async fn event(stream: &mut Stream, message: &Value) -> Stays {
    let event = format!("data: {message}\n\n");
    write(stream, &format!("{:x}\r\n{event}\r\n", event.len())).await
}

pub(crate) async fn plain(stream: &mut Stream, status: &str, kind: &str, body: &str) -> Stays {
    let header = format!("content-type: {kind}\r\ncontent-length: {}\r\n", body.len());
    headers(stream, status, &header).await && write(stream, body).await
}

pub(crate) async fn headers(stream: &mut Stream, status: &str, headers: &str) -> Stays {
    write(stream, &format!("HTTP/1.1 {status}\r\n{headers}\r\n")).await
}

pub(crate) async fn write(stream: &mut Stream, text: &str) -> Stays {
    stream.write_all(text.as_bytes()).await.is_ok() && stream.flush().await.is_ok()
}

/// Reads a request with `Content-Length`.
pub(crate) async fn read(stream: &mut Stream) -> Option<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, length)| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request {
        method,
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    })
}
