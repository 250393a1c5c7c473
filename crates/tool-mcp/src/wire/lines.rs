//! Transport over two streams: to a local program, or to a client on standard input.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use process_tree::Pipe;
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RoleClient, RxJsonRpcMessage, ServiceRole, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, Empty};
use tokio::sync::mpsc;
use tool_core::CancellationToken;

use super::failure::{Failure, TOO_LARGE, UNREADABLE};
use super::frames::{END, Frame, Frames};
use super::link::{Link, Opening};
use super::signals::Signals;
use super::unicode::as_unicode;

/// Size of one read, and of the buffer for requests, in bytes.
const CHUNK: usize = 64 * 1024;

/// Maximum number of messages that are read before the connection needs them.
const BUFFERED: usize = 16;

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

/// A message of the peer, or the response to one that cannot be read.
pub(super) type Received<R> = Result<RxJsonRpcMessage<R>, TxJsonRpcMessage<R>>;

/// What a frame of the peer is.
pub(super) enum Decoded<R: ServiceRole> {
    Received(Received<R>),
    /// Not a message.
    Other,
    /// The connection must end.
    Fatal,
}

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Messages that a task reads, and the stream for those of this side.
pub(super) struct Lines<R: ServiceRole, W: AsyncWrite> {
    received: mpsc::Receiver<Received<R>>,
    // It only writes. As a reader, it would drop what it cannot read without a word, and the other side would wait.
    output: AsyncRwTransport<R, Empty, W>,
    /// Response that is being sent. Kept here, because the future of `receive` may be dropped at any time.
    response: Option<Sending>,
}

impl<R: ServiceRole, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    /// Starts to read `input`, until its end or until `closed` is cancelled.
    pub(super) fn start(
        input: Output,
        output: W,
        max_message: usize,
        closed: CancellationToken,
        decode: impl Fn(Frame) -> Decoded<R> + Send + 'static,
    ) -> Self {
        let (sender, received) = mpsc::channel(BUFFERED);
        let reading = read(input, max_message, decode, sender);
        // The other end of a stream sees its end only when both halves are dropped.
        tokio::spawn(async move { closed.run_until_cancelled(reading).await });
        Self {
            received,
            output: AsyncRwTransport::new(tokio::io::empty(), output),
            response: None,
        }
    }
}

async fn read<R: ServiceRole>(
    mut input: Output,
    max_message: usize,
    decode: impl Fn(Frame) -> Decoded<R>,
    sender: mpsc::Sender<Received<R>>,
) {
    let mut frames = Frames::new(max_message);
    let mut chunk = vec![0; CHUNK];
    while let Ok(count @ 1..) = input.read(&mut chunk).await {
        let read = chunk.get(..count).unwrap_or_default();
        for part in read.split_inclusive(|byte| *byte == b'\n') {
            match frames.push(part).map(&decode) {
                Some(Decoded::Received(received)) => {
                    if sender.send(received).await.is_err() {
                        return;
                    }
                }
                Some(Decoded::Fatal) => return,
                Some(Decoded::Other) | None => {}
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
            match self.received.recv().await? {
                Ok(message) => return Some(message),
                Err(response) => self.response = Some(Box::pin(self.output.send(response))),
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
        let signals = Arc::clone(&self.signals);
        let decode = move |frame| decode(frame, &signals);
        let closed = self.signals.closed.clone();
        let lines = Lines::start(output, requests, self.max_message, closed, decode);
        self.over(lines, None).await
    }
}

/// Reads a message of a server. A response that cannot be read becomes an error of its call, which would otherwise wait
/// for its timeout.
fn decode(frame: Frame, signals: &Signals) -> Decoded<RoleClient> {
    let (failure, id) = match frame {
        Frame::Message(text) => {
            let text = as_unicode(&text);
            if !text.trim_start().starts_with('{') {
                return Decoded::Other;
            }
            match serde_json::from_str(&text) {
                Ok(message) => return Decoded::Received(Ok(message)),
                Err(_) => (UNREADABLE, id_of(text.as_bytes(), text.as_bytes())),
            }
        }
        Frame::TooLarge(first, last) => (TOO_LARGE, id_of(&first, &last)),
    };
    match id {
        Some(id) => Decoded::Received(Ok(unread(failure, id))),
        None if failure == TOO_LARGE => {
            // No call is known to have failed, so all of them do.
            signals.was_oversized.store(true, Ordering::Relaxed);
            Decoded::Fatal
        }
        // Other output that looks like an object.
        None => Decoded::Other,
    }
}

/// Returns the error that replaces a response.
pub(super) fn unread(code: i32, id: RequestId) -> ServerJsonRpcMessage {
    let reason = "the response cannot be read";
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(code), reason, None), Some(id))
}

/// Returns the id of a response from its text, or from both ends of it: beside it, a response has one large member.
pub(super) fn id_of(first: &[u8], last: &[u8]) -> Option<RequestId> {
    id_beside(&["\"result\"", "\"error\""], first, last, |members| {
        !members.contains_key("method")
    })
}

/// Returns the id of a message that passes `check`, from the members before its `large` one, or from those at its end.
pub(super) fn id_beside(
    large: &[&str],
    first: &[u8],
    last: &[u8],
    check: impl Fn(&Map<String, Value>) -> bool,
) -> Option<RequestId> {
    let id = |members: String| {
        let mut members: Map<String, Value> = serde_json::from_str(&members).ok()?;
        let id = serde_json::from_value(members.remove("id")?).ok()?;
        check(&members).then_some(id)
    };
    let first = String::from_utf8_lossy(first.get(..END).unwrap_or(first));
    let last = last.get(last.len().saturating_sub(END)..).unwrap_or(last);
    let last = String::from_utf8_lossy(last);
    let large = large.iter().find_map(|name| first.find(name));
    let before = large.and_then(|at| first.get(..at)).and_then(|members| {
        let members = members.trim_end().trim_end_matches(',');
        id(format!("{members}}}"))
    });
    before.or_else(|| id(format!("{{{}", last.get(last.rfind("\"id\"")?..)?)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decoded(text: &str) -> Value {
        let frame = Frame::Message(text.as_bytes().to_vec());
        match decode(frame, &Signals::default()) {
            Decoded::Received(Ok(message)) => serde_json::to_value(message).unwrap(),
            _ => Value::Null,
        }
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
            let found = id_of(line.as_bytes(), line.as_bytes());

            assert_eq!(json!(found), id, "{line}");
        }
    }
}
