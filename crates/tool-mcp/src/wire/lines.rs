//! Transport over two streams: to a local program, or to a client on standard input. A message is a line.

use std::io;
use std::pin::Pin;

use process_tree::Pipe;
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RoleClient, RxJsonRpcMessage, ServiceRole, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, Empty};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tool_core::CancellationToken;
use tool_json::{surrogates, wide_numbers};

use super::failure::{Failure, TOO_LARGE, UNREADABLE};
use super::link::{Link, Opening};

/// Size of one read, and of the buffer for requests, in bytes.
const CHUNK: usize = 64 * 1024;

/// Maximum number of messages that are read before the connection needs them.
const BUFFERED: usize = 16;

/// Number of bytes at both ends of a message in which its id is searched.
const END: usize = 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Output of a peer.
pub(crate) enum Output {
    /// Standard output of a program.
    Program(Pipe),
    /// Another stream.
    Stream(Box<dyn AsyncRead + Send + Unpin>),
}

impl Output {
    async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Program(pipe) => pipe.read(buffer).await,
            Self::Stream(stream) => stream.read(buffer).await,
        }
    }
}

/// Line of a peer.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) text: Vec<u8>,
    /// Whether the text is too large, so that only its ends are kept.
    pub(super) is_cut: bool,
}

impl Line {
    /// Adds a part. Returns the line if it is complete.
    fn push(&mut self, part: &[u8], max_message: usize) -> Option<Self> {
        self.text.extend_from_slice(part);
        self.is_cut |= self.text.len() > max_message;
        if self.is_cut && self.text.len() > 2 * END {
            self.text.drain(END..self.text.len() - END);
        }
        part.ends_with(b"\n").then(|| std::mem::take(self))
    }
}

/// A message of the peer, or the response to one that cannot be read.
pub(super) type Received<R> = Result<RxJsonRpcMessage<R>, TxJsonRpcMessage<R>>;

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Messages that a task reads, and the stream for those of this side.
pub(super) struct Lines<R: ServiceRole, W: AsyncWrite> {
    received: mpsc::Receiver<Received<R>>,
    // It only writes. As a reader, it would drop what it cannot read without a word, and the other side would wait.
    output: AsyncRwTransport<R, Empty, W>,
    /// Response that is being sent. Kept here, because the future of `receive` may be dropped at any time.
    response: Option<Sending>,
    /// Cancelled at the end of the input.
    ended: CancellationToken,
    /// Ends with this value: the other end of a stream sees its end only when both halves are dropped.
    _reading: JoinSet<()>,
}

impl<R: ServiceRole, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    /// Starts to read `input`, and cancels `ended` at its end. `decode` returns nothing for lines that are no messages.
    pub(super) fn start(
        input: Output,
        output: W,
        max_message: usize,
        ended: CancellationToken,
        decode: impl Fn(&Line) -> Option<Received<R>> + Send + 'static,
    ) -> Self {
        let (sender, received) = mpsc::channel(BUFFERED);
        let mut reading = JoinSet::new();
        reading.spawn(read::<R>(input, max_message, decode, sender));
        Self {
            received,
            output: AsyncRwTransport::new(tokio::io::empty(), output),
            response: None,
            ended,
            _reading: reading,
        }
    }
}

async fn read<R: ServiceRole>(
    mut input: Output,
    max_message: usize,
    decode: impl Fn(&Line) -> Option<Received<R>>,
    sender: mpsc::Sender<Received<R>>,
) {
    let mut line = Line::default();
    let mut chunk = vec![0; CHUNK];
    while let Ok(count @ 1..) = input.read(&mut chunk).await {
        let read = chunk.get(..count).unwrap_or_default();
        for part in read.split_inclusive(|byte| *byte == b'\n') {
            if let Some(complete) = line.push(part, max_message)
                && let Some(received) = decode(&complete)
                && sender.send(received).await.is_err()
            {
                return;
            }
        }
    }
}

impl<R: ServiceRole, W: AsyncWrite + Send + Unpin + 'static> Transport<R> for Lines<R, W> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<R>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.output.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<R>> {
        loop {
            if let Some(response) = &mut self.response {
                // After an error, the next read sees the end of the connection.
                let _ = response.await;
                self.response = None;
            }
            match self.received.recv().await {
                Some(Ok(message)) => return Some(message),
                Some(Err(response)) => self.response = Some(Box::pin(self.output.send(response))),
                None => {
                    self.ended.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.output.close().await
    }
}

impl Opening<'_> {
    /// Opens a connection, and passes messages on in both directions until its end.
    pub(crate) async fn over_lines(
        self,
        mut stdin: impl AsyncWrite + Send + Unpin + 'static,
        output: Output,
    ) -> Result<Link, Failure> {
        let (requests, mut sent) = tokio::io::duplex(CHUNK);
        // A program that does not read its input blocks only this task.
        tokio::spawn(async move { tokio::io::copy(&mut sent, &mut stdin).await });
        let closed = self.signals.closed.clone();
        let end = closed.clone();
        let decode = move |line: &Line| decode(line, &end);
        let lines = Lines::start(output, requests, self.max_message, closed, decode);
        self.over(lines, None).await
    }
}

fn decode(line: &Line, closed: &CancellationToken) -> Option<Received<RoleClient>> {
    if !line.is_cut {
        return message(&line.text).map(Ok);
    }
    let id = response_id(&line.text);
    if id.is_none() {
        // No call is known to have failed, so all of them do.
        closed.cancel();
    }
    Some(Ok(unread(TOO_LARGE, id?)))
}

/// Reads a message of a server. A response that cannot be read becomes an error of its call, which would otherwise wait
/// for its timeout. Returns `None` for other output.
fn message(text: &[u8]) -> Option<ServerJsonRpcMessage> {
    lenient(text).or_else(|| Some(unread(UNREADABLE, response_id(text)?)))
}

/// Parses JSON. U+FFFD replaces what is no Unicode, which programs write that cut text within a character.
fn lenient<T: DeserializeOwned>(text: &[u8]) -> Option<T> {
    parsed(text).or_else(|| {
        let text = String::from_utf8_lossy(text);
        let replaced = surrogates::replace(text.as_bytes()).map(|(text, _)| text);
        parsed(replaced.as_deref().unwrap_or(text.as_bytes()))
    })
}

/// Parses JSON. Numbers of more than 64 bits are read as text.
pub(super) fn parsed<T: DeserializeOwned>(text: &[u8]) -> Option<T> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let quoted = wide_numbers::quote(text);
    serde_json::from_slice(quoted.as_ref().map_or(text, |(quoted, _)| quoted)).ok()
}

/// Returns the error that replaces a response.
pub(super) fn unread(code: i32, id: RequestId) -> ServerJsonRpcMessage {
    let reason = "the response cannot be read";
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(code), reason, None), Some(id))
}

fn response_id(text: &[u8]) -> Option<RequestId> {
    id_of(text, &["\"result\"", "\"error\""], "method")
}

/// Returns the id of a message from the members before its `large` one, or from those at its end. Messages with the member
/// `other` have none.
pub(super) fn id_of(text: &[u8], large: &[&str], other: &str) -> Option<RequestId> {
    let first = String::from_utf8_lossy(text.get(..END).unwrap_or(text));
    let last = text.get(text.len().saturating_sub(END)..).unwrap_or(text);
    let last = String::from_utf8_lossy(last);
    let large = large.iter().find_map(|name| first.find(name));
    let before = large.and_then(|at| first.get(..at));
    let before = before.map(|members| members.trim_end().trim_end_matches(','));
    let after = last.rfind("\"id\"").and_then(|at| last.get(at..));
    let ends = [
        before.map(|members| format!("{members}}}")),
        after.map(|members| format!("{{{members}")),
    ];
    ends.into_iter().flatten().find_map(|members| {
        let mut members: Map<String, Value> = serde_json::from_str(&members).ok()?;
        let id = serde_json::from_value(members.remove("id")?).ok()?;
        (!members.contains_key(other)).then_some(id)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decoded(text: &str) -> Value {
        serde_json::to_value(message(text.as_bytes())).unwrap()
    }

    #[test]
    fn unreadable_response_is_error_of_its_call() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        for (result, text) in [
            (
                "{\"content\":[{\"text\":\"a\\ud800b\"}]}",
                Some("a\u{fffd}b"),
            ),
            ("{\"content\":[{\"text\":\"a\tb\"}]}", None),
            (
                "{\"content\":[{\"text\":123456789012345678901}]}",
                Some("123456789012345678901"),
            ),
            ("{\"content\":NaN}", None),
            ("{\"content\":[{\"text\":\"cut", None),
            (&*format!("{{\"content\":{deep}}}"), None),
        ] {
            for message in [
                format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{result}}}\n"),
                format!("{{\"jsonrpc\":\"2.0\",\"result\":{result},\"id\":7}}\n"),
            ] {
                let decoded = decoded(&message);

                assert_eq!(decoded["id"], 7, "{message}");
                match text {
                    Some(text) => assert_eq!(decoded["result"]["content"][0]["text"], text),
                    None => assert_eq!(decoded["error"]["code"], UNREADABLE, "{message}"),
                }
            }
        }
        assert_eq!(
            decoded("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")["id"],
            1
        );
        for other in ["noise", "{\"a\":1}", "{ starting", "[1]", ""] {
            assert_eq!(decoded(other), Value::Null, "{other}");
        }
    }

    #[test]
    fn finds_id_of_response() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"id":8}}"#, json!(7)),
            (
                r#"{"result":{"content":[{"id":1}]},"jsonrpc":"2.0","id":"a-1"}"#,
                json!("a-1"),
            ),
            (r#"{ "id" : "\"}" , "result": {}}"#, json!("\"}")),
            (r#"{"result":{"text":"\",\"id\":9"},"id":3}"#, json!(3)),
            (r#"{"id":5,"error":"cut"#, json!(5)),
            (r#"{"method":"x","params":{"id":4}}"#, json!(null)),
            (
                r#"{"id":4,"method":"x","params":{"result":1}}"#,
                json!(null),
            ),
            (r#"{"result":{"id":4}}"#, json!(null)),
            (r#"{"id":{"a":1},"result":1}"#, json!(null)),
            ("no json", json!(null)),
            ("", json!(null)),
        ] {
            let found = response_id(line.as_bytes());

            assert_eq!(json!(found), id, "{line}");
        }
    }

    #[test]
    fn oversized_line_keeps_both_ends() {
        let text = "x".repeat(5000);
        let message = format!("{{\"id\":1,\"result\":\"{text}\"}}\n");
        for size in [1, 100, 1000, 9000] {
            let mut line = Line::default();
            let parts = message.as_bytes().chunks(size);
            let found: Vec<Line> = parts.filter_map(|part| line.push(part, 2000)).collect();

            assert_eq!(found.len(), 1, "{size}");
            assert!(found[0].is_cut && found[0].text.len() == 2 * END);
            assert_eq!(json!(response_id(&found[0].text)), 1);
            assert!(found[0].text.ends_with(b"x\"}\n"));
            assert!(!line.push(b"{}\n", 2000).unwrap().is_cut);
        }
    }
    #[test]
    fn text_that_is_no_unicode_is_replaced() {
        for (json, expected) in [
            (&b"\"caf\xe9\""[..], "caf\u{fffd}"),
            (b"\"\xed\xa0\x80\"", "\u{fffd}\u{fffd}\u{fffd}"),
            (b"\"\\ud800\xe9\"", "\u{fffd}\u{fffd}"),
            (b"\xef\xbb\xbf\"a\"", "a"),
        ] {
            assert_eq!(lenient::<String>(json).as_deref(), Some(expected));
        }
    }
}
