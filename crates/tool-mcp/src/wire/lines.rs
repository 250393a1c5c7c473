//! Transport to a local program or over a stream: one message per line.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use process_tree::Pipe;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};

use super::failure::{Failure, TOO_LARGE};
use super::link::{Link, Opening};
use super::signals::Signals;

/// Size of one read, and of the buffer to the transport, in bytes.
const CHUNK: usize = 64 * 1024;

/// Number of bytes that are kept of both ends of an oversized line, to find the id of its message.
const END: usize = 1024;

/// Output of a server.
pub(crate) enum Output {
    /// Standard output of a program.
    Program(Pipe),
    /// Stream of the host.
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

impl Opening<'_> {
    /// Opens a connection, and passes messages on in both directions until its end.
    pub(crate) async fn over_lines(
        self,
        mut stdin: impl AsyncWrite + Send + Unpin + 'static,
        output: Output,
    ) -> Result<Link, Failure> {
        let (requests, mut sent) = tokio::io::duplex(CHUNK);
        let (lines, responses) = tokio::io::duplex(CHUNK);
        // A program that does not read its input blocks only this task.
        tokio::spawn(async move { tokio::io::copy(&mut sent, &mut stdin).await });
        let filter = Filter {
            lines,
            max_message: self.max_message,
            line: Vec::new(),
            last: Vec::new(),
            signals: Arc::clone(&self.signals),
        };
        let closed = self.signals.closed.clone();
        // The other end of a stream sees its end only when both halves are dropped.
        tokio::spawn(async move { closed.run_until_cancelled(filter.run(output)).await });
        // The filter limits the lines.
        // rmcp would drop a long line without a word. The filter has replaced it by an error, which ends the call at
        // once.
        let transport =
            AsyncRwTransport::new_client(responses, requests).with_max_line_length(usize::MAX);
        self.over(transport, None).await
    }
}

/// Passes the lines of a server on. rmcp would drop an oversized one, and its call would wait for the timeout.
struct Filter {
    lines: DuplexStream,
    max_message: usize,
    /// Line that is being read, or its beginning if it is oversized.
    line: Vec<u8>,
    /// Last bytes of an oversized line.
    last: Vec<u8>,
    signals: Arc<Signals>,
}

impl Filter {
    async fn run(mut self, mut output: Output) {
        let mut chunk = vec![0; CHUNK];
        while let Ok(count @ 1..) = output.read(&mut chunk).await {
            let read = chunk.get(..count).unwrap_or_default();
            for part in read.split_inclusive(|byte| *byte == b'\n') {
                self.push(part);
                if part.ends_with(b"\n") && self.finish_line().await.is_err() {
                    return;
                }
            }
        }
    }

    fn push(&mut self, part: &[u8]) {
        if self.last.is_empty() && self.line.len() + part.len() <= self.max_message {
            self.line.extend_from_slice(part);
            return;
        }
        if self.last.is_empty() {
            let start = self.line.len().saturating_sub(END);
            let end = self.line.get(start..).unwrap_or_default();
            self.last.extend_from_slice(end);
            self.line.truncate(END);
            let missing = END.saturating_sub(self.line.len()).min(part.len());
            self.line
                .extend_from_slice(part.get(..missing).unwrap_or_default());
        }
        self.last.extend_from_slice(part);
        let start = self.last.len().saturating_sub(END);
        self.last.drain(..start);
    }

    /// Passes a line on, or the error that replaces an oversized one. Fails if the connection must end.
    async fn finish_line(&mut self) -> io::Result<()> {
        let mut line = std::mem::take(&mut self.line);
        let last = std::mem::take(&mut self.last);
        if !last.is_empty() {
            let Some(id) = id_of(&line, &last) else {
                // No call is known to have failed, so all of them do.
                self.signals.was_oversized.store(true, Ordering::Relaxed);
                return Err(io::ErrorKind::InvalidData.into());
            };
            let error = json!({"code": TOO_LARGE, "message": "the message is too large"});
            line = json!({"jsonrpc": "2.0", "id": id, "error": error})
                .to_string()
                .into_bytes();
            line.push(b'\n');
        }
        // Other output is not a message.
        if line.trim_ascii_start().starts_with(b"{") {
            self.lines.write_all(&line).await?;
        }
        line.clear();
        // Keep the allocation of short lines.
        line.shrink_to(CHUNK);
        self.line = line;
        Ok(())
    }
}

/// Returns the id of a response from both ends of its text: beside it, a response has one large member.
fn id_of(first: &[u8], last: &[u8]) -> Option<Value> {
    let id = |members: String| {
        let mut members: Map<String, Value> = serde_json::from_str(&members).ok()?;
        let id = members.remove("id")?;
        let is_response = !members.contains_key("method") && (id.is_number() || id.is_string());
        is_response.then_some(id)
    };
    let (first, last) = (
        String::from_utf8_lossy(first),
        String::from_utf8_lossy(last),
    );
    let large = ["\"result\"", "\"error\""]
        .iter()
        .find_map(|name| first.find(name));
    let before = large.and_then(|at| first.get(..at)).and_then(|members| {
        let members = members.trim_end().trim_end_matches(',');
        id(format!("{members}}}"))
    });
    before.or_else(|| id(format!("{{{}", last.get(last.rfind("\"id\"")?..)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn oversized_line_keeps_both_ends() {
        for size in [1, 100, 1000, 9000] {
            let (lines, mut passed) = tokio::io::duplex(CHUNK);
            let filter = Filter {
                lines,
                max_message: 2000,
                line: Vec::new(),
                last: Vec::new(),
                signals: Arc::default(),
            };
            let text = "x".repeat(size);
            let first = format!("{{\"id\":1,\"result\":\"{text}\"}}\n");
            let last = format!("{{\"result\":\"{text}\",\"id\":2}}\nnoise\n");
            let output = std::io::Cursor::new((first.clone() + &last).into_bytes());

            filter.run(Output::Stream(Box::new(output))).await;

            let mut text = String::new();
            passed.read_to_string(&mut text).await.unwrap();
            let ids = text.lines().map(|line| {
                let message: Value = serde_json::from_str(line).unwrap();
                (message["id"].clone(), message["error"]["code"].clone())
            });
            let code = if size > 2000 {
                json!(TOO_LARGE)
            } else {
                json!(null)
            };
            let expected = [(json!(1), code.clone()), (json!(2), code)];
            assert_eq!(ids.collect::<Vec<_>>(), expected, "{size}");
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

            assert_eq!(found.unwrap_or_default(), id, "{line}");
        }
    }
}
