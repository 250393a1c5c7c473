//! Server for Chat Completions that requests one call and then sends faults before its answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::ANSWER;

/// Response of the server, without `Content-Length`.
#[derive(Debug, Clone)]
pub(super) struct Response {
    pub(super) head: &'static str,
    pub(super) body: String,
    pub(super) then: Then,
}

/// Action after the body.
#[derive(Debug, Clone, Copy)]
pub(super) enum Then {
    Close,
    /// Resets the connection, after the client had time to read the body.
    Reset,
    /// Sends the body again until the client closes the connection.
    Repeat,
    /// Sends nothing, not even the head, until the client closes the connection.
    Hold,
}

impl Response {
    /// Creates a successful stream with these events.
    pub(super) fn stream(events: &[Value]) -> Self {
        let events = events.iter().map(|event| format!("data: {event}\n\n"));
        Self {
            head: "200 OK\r\ncontent-type: text/event-stream",
            body: events.collect(),
            then: Then::Close,
        }
    }

    /// Creates a response with this status line and further headers.
    pub(super) fn of(head: &'static str, body: &Value) -> Self {
        Self {
            head,
            body: body.to_string(),
            then: Then::Close,
        }
    }

    pub(super) fn then(self, then: Then) -> Self {
        Self { then, ..self }
    }
}

/// Returns the events of a reply.
pub(super) fn text(text: &str, finish: &str) -> Vec<Value> {
    let chunk = |delta: Value, finish: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    vec![
        chunk(json!({"content": text}), Value::Null),
        chunk(json!({}), finish.into()),
    ]
}

/// Returns the event of a call with these arguments.
pub(super) fn call(name: &str, arguments: &str) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    let calls = json!([{"index": 0, "id": "c1", "type": "function", "function": function}]);
    json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]})
}

/// Server with faults, and the bodies of its requests.
pub(super) struct FaultServer {
    pub(super) origin: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl FaultServer {
    /// Starts a server that sends each of `faults` once after the first call, and then the answer.
    pub(super) async fn start(faults: Vec<Response>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            origin: format!("http://{}", listener.local_addr().unwrap()),
            requests: Arc::default(),
        };
        let requests = Arc::clone(&server.requests);
        let faults = Arc::new(Mutex::new(VecDeque::from(faults)));
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (requests, faults) = (Arc::clone(&requests), Arc::clone(&faults));
                tokio::spawn(serve(connection, requests, faults));
            }
        });
        server
    }

    /// Returns the number of requests.
    pub(super) fn requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

async fn serve(
    mut connection: TcpStream,
    requests: Arc<Mutex<Vec<String>>>,
    faults: Arc<Mutex<VecDeque<Response>>>,
) -> Option<()> {
    let request = read(&mut connection).await?;
    let has_result = request.contains(r#""role":"tool""#);
    requests.lock().unwrap().push(request);
    let response = if has_result {
        let fault = faults.lock().unwrap().pop_front();
        fault.unwrap_or_else(|| Response::stream(&text(ANSWER, "stop")))
    } else {
        let finish = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
        Response::stream(&[call("list", r#"{"path":"."}"#), finish])
    };
    send(connection, &response).await
}

/// Reads one request and returns its body.
async fn read(connection: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let is_length = name.eq_ignore_ascii_case("content-length");
                is_length.then(|| value.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length? {
                return Some(body.to_owned());
            }
        }
        match connection.read(&mut buffer).await.ok()? {
            0 => return None,
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

async fn send(mut connection: TcpStream, response: &Response) -> Option<()> {
    if !matches!(response.then, Then::Hold) {
        let head = format!("HTTP/1.1 {}\r\nconnection: close\r\n\r\n", response.head);
        connection.write_all(head.as_bytes()).await.ok()?;
        connection.write_all(response.body.as_bytes()).await.ok()?;
    }
    match response.then {
        Then::Close => connection.shutdown().await.ok(),
        Then::Reset => {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            connection.set_zero_linger().ok()
        }
        Then::Repeat => loop {
            connection.write_all(response.body.as_bytes()).await.ok()?;
        },
        Then::Hold => {
            let mut rest = [0; 64];
            while connection.read(&mut rest).await.ok()? > 0 {}
            None
        }
    }
}
